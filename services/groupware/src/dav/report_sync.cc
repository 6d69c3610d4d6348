// sync-collection (RFC 6578).
#include <memory>

#include "dav/errors.h"
#include "dav/report.h"
#include "dav/report_answer.h"
#include "state/sync_token.h"

namespace pollux {
namespace {

HttpResponse invalid_token() {
  return precondition_response(
      403, "D:valid-sync-token",
      "The sync token is not one of this collection, or too old: synchronize from the beginning.");
}

struct SyncRun : std::enable_shared_from_this<SyncRun> {
  SyncRun(const DavRequest& dav_request, ReportQuestion question)
      : request(dav_request), answer(dav_request, std::move(question)) {}

  const DavRequest& request;
  ReportAnswer answer;
  SyncPoint from;  // collection 0: from the beginning
  std::uint64_t up_to = 0;
  std::optional<std::uint32_t> limit;
  bool traverse = false;

  Outcome ask(std::uint64_t since) {
    ListChanges list{.caller = request.caller,
                     .path = request.path.resource,
                     .collection = from.collection,
                     .since = since,
                     .deleted_since = from.deletions,
                     .up_to = up_to,
                     .with_content = answer.question().wants_content(),
                     .with_dead = answer.question().properties.wants_dead(),
                     .with_locks = answer.question().properties.wants_locks()};
    if (limit)
      list.limit = std::min<std::uint32_t>(*limit - static_cast<std::uint32_t>(answer.count()), list.limit);
    return ask_query(list,
                     [run = shared_from_this()](const PairReply& reply) { return run->with_page(reply); });
  }

  Outcome with_page(const PairReply& reply) {
    if (reply.code == Code::precondition_failed) return invalid_token();
    if (reply.code != Code::ok) return refusal_response(reply, request);
    auto page = decode_groupware_reply<FoundItems>(reply.payload);
    if (!page) return plain_response(500, page.error().text);
    if (page->kind == CollectionKind::home)
      return unsupported_report("A home is not synchronized: its collections are.");
    if (traverse && page->kind == CollectionKind::plain) {
      return precondition_response(
          403, "D:sync-traversal-supported",
          "Collections below this one are synchronized by themselves: sync-level is 1.");
    }
    if (!answer.is_heavy(*page)) return add_page(*page);
    return Work{[run = shared_from_this(), page = std::move(*page)] { return run->add_page(page); }};
  }

  Outcome add_page(const FoundItems& page) {
    if (up_to == 0) {
      up_to = page.newest;
      // Who begins knows nothing of what was deleted before now.
      if (from.collection == 0) from.deletions = page.newest;
    }
    for (const auto& item : page.items) {
      if (!item.found) {
        answer.add_status(child_href(resource_href(request.path.resource, true), item.name, false),
                          "404 Not Found");
      } else if (!answer.add(item, page, request.path.resource)) {
        return answer.refusal();
      }
    }
    const bool full = (limit && answer.count() >= *limit) || answer.is_too_large();
    if (page.more && !full && page.newest != 0) return ask(page.change);
    if (page.more) answer.add_truncated();
    answer.append("<D:sync-token>");
    answer.append(make_sync_token({.collection = page.collection,
                                   .change = page.change,
                                   .deletions = std::max(page.change, from.deletions)}));
    answer.append("</D:sync-token>\n");
    return answer.finish();
  }
};

}  // namespace

Outcome report_sync_collection(const DavRequest& request, XmlElement root) {
  const ResourcePath& path = request.path.resource;
  if (path.space != DavSpace::files && path.names.size() > 1 && !request.path.slash) {
    return unsupported_report("This is an item: its collection is synchronized.");
  }
  const XmlElement* token = root.child(xmlns::dav, "sync-token");
  if (token == nullptr)
    return plain_response(400, "A sync-collection has a DAV:sync-token, which is empty at first.");
  const XmlElement* level = root.child(xmlns::dav, "sync-level");
  const std::string_view depth = level == nullptr ? std::string_view("1") : trim_space(level->text);
  if (depth != "1" && depth != "infinite") return plain_response(400, "DAV:sync-level is 1 or infinite.");
  const auto limit = parse_limit(root, xmlns::dav);
  if (!limit) return limit.error();
  auto question = parse_report_question(root, request.http);
  if (!question) return std::move(question.error());
  const auto run = std::make_shared<SyncRun>(request, std::move(*question));
  run->limit = *limit;
  run->traverse = depth == "infinite";
  if (const std::string_view text = trim_space(token->text); !text.empty()) {
    const auto point = parse_sync_token(text);
    if (!point) return invalid_token();
    run->from = *point;
  }
  return run->ask(run->from.change);
}

}  // namespace pollux
