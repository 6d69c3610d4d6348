// calendar-query (RFC 4791, 7.8) and addressbook-query (RFC 6352, 8.6).
#include <memory>

#include "dav/errors.h"
#include "dav/report.h"
#include "dav/report_answer.h"

namespace pollux {
namespace {

/// One query on its way: pages of candidates, looked at one after the other on the thread for work.
struct QueryRun : std::enable_shared_from_this<QueryRun> {
  QueryRun(const DavRequest& dav_request, ReportQuestion question)
      : request(dav_request), answer(dav_request, std::move(question)) {}

  const DavRequest& request;
  ReportAnswer answer;
  CollectionKind kind = CollectionKind::calendar;
  ResourcePath collection = request.path.resource;  // that the items are in
  // Of a calendar:
  std::optional<CompFilter> comp_filter;  // moved into `calendar` when the calendar's time zone is known
  std::optional<CalendarFilter> calendar;
  ZonePtr floating;
  // Of an address book:
  CardFilter card;
  std::optional<std::uint32_t> limit;
  bool truncated = false;

  Outcome ask(std::string after) {
    FindItems find{.caller = request.caller, .path = request.path.resource, .after = std::move(after)};
    find.with_content = true;
    find.with_dead = answer.question().properties.wants_dead();
    find.with_locks = answer.question().properties.wants_locks();
    if (kind == CollectionKind::calendar) {
      const auto coarse = calendar->coarse();
      find.component = coarse.component;
      if (coarse.range.start_s || coarse.range.end_s) {
        find.from_s = coarse.range.from();
        find.to_s = coarse.range.to();
      }
    }
    return ask_query(find,
                     [run = shared_from_this()](const PairReply& reply) { return run->with_page(reply); });
  }

  /// The request's URL is an item's: it is looked at alone.
  Outcome ask_item() {
    GetItems get{.caller = request.caller,
                 .path = collection,
                 .names = {},
                 .with_content = true,
                 .with_dead = answer.question().properties.wants_dead(),
                 .with_locks = answer.question().properties.wants_locks()};
    get.names.push_back(std::move(get.path.names.back()));
    get.path.names.pop_back();
    collection = get.path;
    return ask_query(get, [run = shared_from_this()](const PairReply& reply) -> Outcome {
      const auto page = decode_groupware_reply<FoundItems>(reply.payload);
      const bool missing =
          reply.code == Code::ok && page && page->items.size() == 1 && !page->items.front().found;
      if (missing) return plain_response(404, "There is nothing here.");
      return run->with_page(reply);
    });
  }

  Outcome with_page(const PairReply& reply) {
    if (reply.code != Code::ok) return refusal_response(reply, request);
    auto page = decode_groupware_reply<FoundItems>(reply.payload);
    if (!page) return plain_response(500, page.error().text);
    if (page->kind != kind) {
      return unsupported_report(kind == CollectionKind::calendar ? "This is no calendar."
                                                                 : "This is no address book.");
    }
    return Work{[run = shared_from_this(), page = std::move(*page)] { return run->add_page(page); }};
  }

  bool matches(const FoundItem& item) {
    return kind == CollectionKind::calendar ? calendar->matches(item.content) : card.matches(item.content);
  }

  Outcome add_page(const FoundItems& page) {
    if (comp_filter) {
      if (!floating) floating = zone_of_calendar_text(page.timezone);
      answer.set_floating(floating);
      calendar.emplace(std::move(*comp_filter), floating);
      comp_filter.reset();
    }
    for (const auto& item : page.items) {
      if (!matches(item)) continue;
      if (limit && answer.count() == *limit) {
        truncated = true;
        break;
      }
      if (!answer.add(item, page, collection)) return answer.refusal();
    }
    if (answer.is_too_large()) {
      return too_many_matches(
          "The answer would be larger than this server gives: ask for a shorter time, or for less of each.");
    }
    if (truncated) {
      answer.add_truncated();
    } else if (page.more) {
      return ask(page.last);
    }
    return answer.finish();
  }
};

/// By its URL alone: homes hold collections, and these hold items.
bool is_item(const DavRequest& request) {
  return request.path.resource.names.size() > 1 && !request.path.slash;
}

/// Depth: 0 is about the collection alone, which is no item. Without the header clients mean what is in it.
bool asks_nothing(const DavRequest& request) {
  return request.http.header("Depth") == "0" && !is_item(request);
}

}  // namespace

Outcome report_calendar_query(const DavRequest& request, XmlElement root) {
  if (request.path.resource.space != DavSpace::calendars) return unsupported_report("This is no calendar.");
  auto question = parse_report_question(root, request.http);
  if (!question) return std::move(question.error());
  const XmlElement* element = root.child(xmlns::caldav, "filter");
  if (element == nullptr)
    return precondition_response(403, "C:valid-filter", "A calendar-query has a filter.");
  auto filter = parse_calendar_filter(*element);
  if (!filter) return std::move(filter.error());
  auto zone = parse_timezone(root);
  if (!zone) return std::move(zone.error());
  const auto run = std::make_shared<QueryRun>(request, std::move(*question));
  if (asks_nothing(request)) return run->answer.finish();
  run->calendar.emplace(*filter, *zone);
  run->comp_filter = std::move(*filter);
  run->floating = std::move(*zone);
  return is_item(request) ? run->ask_item() : run->ask({});
}

Outcome report_addressbook_query(const DavRequest& request, XmlElement root) {
  if (request.path.resource.space != DavSpace::contacts)
    return unsupported_report("This is no address book.");
  auto question = parse_report_question(root, request.http);
  if (!question) return std::move(question.error());
  const XmlElement* element = root.child(xmlns::carddav, "filter");
  if (element == nullptr)
    return precondition_response(403, "CARD:valid-filter", "An addressbook-query has a filter.");
  auto filter = parse_card_filter(*element);
  if (!filter) return std::move(filter.error());
  const auto limit = parse_limit(root, xmlns::carddav);
  if (!limit) return limit.error();
  const auto run = std::make_shared<QueryRun>(request, std::move(*question));
  if (asks_nothing(request)) return run->answer.finish();
  run->kind = CollectionKind::addressbook;
  run->card = std::move(*filter);
  run->limit = *limit;
  return is_item(request) ? run->ask_item() : run->ask({});
}

}  // namespace pollux
