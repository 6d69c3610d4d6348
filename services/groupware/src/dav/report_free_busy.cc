// free-busy-query (RFC 4791, 7.10).
#include <memory>

#include "calendar/free_busy.h"
#include "dav/errors.h"
#include "dav/report.h"
#include "dav/report_answer.h"

namespace pollux {
namespace {

struct FreeBusyRun : std::enable_shared_from_this<FreeBusyRun> {
  FreeBusyRun(const DavRequest& dav_request, TimeRange asked) : request(dav_request), range(asked) {}

  const DavRequest& request;
  const TimeRange range;
  std::optional<FreeBusy> busy;

  Outcome ask(std::string after) {
    const FindItems find{.caller = request.caller,
                         .path = request.path.resource,
                         .component = "VEVENT",
                         .from_s = range.from(),
                         .to_s = range.to(),
                         .after = std::move(after),
                         .with_content = true};
    return ask_query(find,
                     [run = shared_from_this()](const PairReply& reply) { return run->with_page(reply); });
  }

  Outcome with_page(const PairReply& reply) {
    if (reply.code != Code::ok) return refusal_response(reply, request);
    auto page = decode_groupware_reply<FoundItems>(reply.payload);
    if (!page) return plain_response(500, page.error().text);
    if (page->kind != CollectionKind::calendar) return unsupported_report("This is no calendar.");
    return Work{[run = shared_from_this(), page = std::move(*page)] { return run->add_page(page); }};
  }

  Outcome add_page(const FoundItems& page) {
    if (!busy) busy.emplace(range, zone_of_calendar_text(page.timezone));
    for (const auto& item : page.items) {
      if (const auto added = busy->add(item.content); !added) {
        return precondition_response(403, "D:number-of-matches-within-limits", added.error().text);
      }
    }
    if (page.more) return ask(page.last);
    return HttpResponse{.status = 200,
                        .headers = "Content-Type: text/calendar; charset=utf-8\r\n",
                        .body = busy->render(wall_now().us / 1'000'000),
                        .length = {},
                        .close = false};
  }
};

}  // namespace

Outcome report_free_busy(const DavRequest& request, XmlElement root) {
  if (request.path.resource.space != DavSpace::calendars) return unsupported_report("This is no calendar.");
  const XmlElement* element = root.child(xmlns::caldav, "time-range");
  if (element == nullptr) return plain_response(400, "A free-busy-query has a time-range.");
  const auto range = parse_time_range(*element, true);
  if (!range)
    return plain_response(
        400, "The time-range of a free-busy-query has start and end in UTC, the end after the start.");
  return std::make_shared<FreeBusyRun>(request, *range)->ask({});
}

}  // namespace pollux
