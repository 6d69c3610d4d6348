// calendar-multiget (RFC 4791, 7.9) and addressbook-multiget (RFC 6352, 8.7).
#include <algorithm>
#include <memory>

#include "dav/errors.h"
#include "dav/report.h"
#include "dav/report_answer.h"
#include "pollux/groupware/service.h"

namespace pollux {
namespace {

constexpr std::size_t names_per_query = 500;

struct Multiget : std::enable_shared_from_this<Multiget> {
  Multiget(const DavRequest& dav_request, ReportQuestion question)
      : request(dav_request), answer(dav_request, std::move(question)) {}

  struct Target {
    std::string href;         // as the client wrote it
    ResourcePath collection;  // empty names: it can't be an item here
    std::string name;
  };

  const DavRequest& request;
  ReportAnswer answer;
  std::vector<Target> targets;
  std::size_t next = 0;

  void add_target(std::string_view href) {
    href = trim_space(href);
    Target& target = targets.emplace_back();
    target.href = href;
    auto reference = parse_reference(href, request.http.header("Host").value_or(""));
    if (!reference || reference->elsewhere || reference->path.kind != DavPathKind::resource) return;
    ResourcePath& path = reference->path.resource;
    const ResourcePath& scope = request.path.resource;
    const bool within = path.space == scope.space && path.user == scope.user &&
                        path.names.size() > std::max<std::size_t>(scope.names.size(), 1) &&
                        std::equal(scope.names.begin(), scope.names.end(), path.names.begin());
    if (!within && path != scope) return;
    target.name = std::move(path.names.back());
    path.names.pop_back();
    target.collection = std::move(path);
  }

  Outcome go_on() {
    while (next < targets.size() && targets[next].collection.names.empty()) {
      answer.add_status(targets[next++].href, "404 Not Found");
    }
    if (answer.is_too_large())
      return too_many_matches("The answer would be larger than this server gives: ask for fewer items.");
    if (next == targets.size()) return answer.finish();
    GetItems get{.caller = request.caller,
                 .path = targets[next].collection,
                 .names = {},
                 .with_content = answer.question().wants_content(),
                 .with_dead = answer.question().properties.wants_dead(),
                 .with_locks = answer.question().properties.wants_locks()};
    for (std::size_t at = next; at < targets.size() && get.names.size() < names_per_query; ++at) {
      if (targets[at].collection != get.path) break;
      get.names.push_back(targets[at].name);
    }
    if (get.with_locks || may_be_large(get)) return ask(get);
    const auto wanted = std::make_shared<const GetItems>(std::move(get));
    return Read{.from_state = [run = shared_from_this(), wanted](ReadTxn& txn) -> std::optional<Outcome> {
                  auto page = read_items(*wanted, txn);
                  return page ? std::optional(run->take(std::move(*page), wanted->names.size())) : std::nullopt;
                },
                .otherwise = [run = shared_from_this(), wanted] { return run->ask(*wanted); }};
  }

  Outcome ask(const GetItems& get) {
    return ask_query(get, [run = shared_from_this(), asked = get.names.size()](const PairReply& reply) {
      return run->with_page(reply, asked);
    });
  }

  Outcome with_page(const PairReply& reply, std::size_t asked) {
    if (reply.code == Code::not_found) {  // the collection itself is not there
      while (asked-- > 0) answer.add_status(targets[next++].href, "404 Not Found");
      return go_on();
    }
    if (reply.code != Code::ok) return refusal_response(reply, request);
    auto page = decode_groupware_reply<FoundItems>(reply.payload);
    if (!page) return plain_response(500, page.error().text);
    return take(std::move(*page), asked);
  }

  Outcome take(FoundItems page, std::size_t asked) {
    if (page.items.empty() || page.items.size() > asked)
      return plain_response(500, "The pair's answer does not fit.");
    if (!answer.is_heavy(page)) return add_page(page);
    return Work{[run = shared_from_this(), page = std::move(page)] { return run->add_page(page); }};
  }

  Outcome add_page(const FoundItems& page) {
    for (const auto& item : page.items) {
      const Target& target = targets[next++];
      if (!item.found) {
        answer.add_status(target.href, "404 Not Found");
      } else if (!answer.add(item, page, target.collection)) {
        return answer.refusal();
      }
    }
    return go_on();
  }
};

Outcome multiget(const DavRequest& request, const XmlElement& root) {
  auto question = parse_report_question(root, request.http);
  if (!question) return std::move(question.error());
  const auto run = std::make_shared<Multiget>(request, std::move(*question));
  for (const auto& child : root.children) {
    if (child.is(xmlns::dav, "href")) run->add_target(child.text);
  }
  if (run->targets.empty())
    return plain_response(400, "A multiget names the items it wants, in DAV:href elements.");
  return run->go_on();
}

}  // namespace

Outcome report_calendar_multiget(const DavRequest& request, XmlElement root) {
  if (request.path.resource.space != DavSpace::calendars) return unsupported_report("This is no calendar.");
  return multiget(request, root);
}

Outcome report_addressbook_multiget(const DavRequest& request, XmlElement root) {
  if (request.path.resource.space != DavSpace::contacts)
    return unsupported_report("This is no address book.");
  return multiget(request, root);
}

}  // namespace pollux
