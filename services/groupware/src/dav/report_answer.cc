#include "dav/report_answer.h"

#include <algorithm>

#include "dav/errors.h"

namespace pollux {
namespace {

/// More content than this is put into XML on another thread than the connection's.
constexpr std::size_t inline_bytes_max = 256u << 10;

}  // namespace

HttpResponse too_many_matches(std::string_view sentence) {
  return precondition_response(507, "D:number-of-matches-within-limits", sentence);
}

ReportAnswer::ReportAnswer(const DavRequest& request, ReportQuestion question)
    : request_(request),
      question_(std::move(question)),
      context_{.user = request.caller.user, .item_bytes_max = request.limits.body_bytes_max, .now = wall_now()},
      body_(multistatus_begin()) {}

bool ReportAnswer::append_data(const FoundItem& item, std::string* out) {
  if (question_.wants_calendar) {
    WorkBudget budget(std::min(budget_.left(), RecurrenceLimits::object_steps_max));
    const std::uint64_t before = budget.left();
    const Zone& floating = floating_ ? *floating_ : Zone::utc();
    const auto text = question_.calendar.is_whole()
                          ? Result<std::string>(item.content)
                          : render_calendar(item.content, question_.calendar, floating, zones_, budget);
    budget_.spend(before - budget.left());
    if (!text) {
      refused_ = text.error().text;
      return false;
    }
    out->append("<C:calendar-data>");
    append_escaped(out, *text);
    out->append("</C:calendar-data>");
  }
  if (question_.wants_card) {
    out->append("<CARD:address-data>");
    append_escaped(out, question_.card.all ? item.content : render_card(item.content, question_.card));
    out->append("</CARD:address-data>");
  }
  return true;
}

bool ReportAnswer::add(const FoundItem& item, const FoundItems& page, const ResourcePath& collection) {
  const bool inner = std::holds_alternative<CollectionInfo>(item.info);
  Subject subject = subject_of(item.info, child_href(resource_href(collection, true), item.name, inner),
                               collection.space, page.owner, page.access);
  std::string data;
  if (!inner && question_.wants_content() && !append_data(item, &data)) return false;
  subject.content = data;
  append_response(&body_, subject, question_.properties, context_);
  ++count_;
  return true;
}

void ReportAnswer::add_status(std::string_view href, std::string_view status) {
  body_.append("<D:response><D:href>");
  append_escaped(&body_, href);
  body_.append("</D:href><D:status>HTTP/1.1 ").append(status).append("</D:status></D:response>\n");
  ++count_;
}

void ReportAnswer::add_truncated() {
  body_.append("<D:response><D:href>");
  append_escaped(&body_, resource_href(request_.path.resource, true));
  body_.append(
      "</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status>"
      "<D:error><D:number-of-matches-within-limits/></D:error></D:response>\n");
}

HttpResponse ReportAnswer::refusal() const {
  return precondition_response(403, "D:number-of-matches-within-limits", refused_);
}

HttpResponse ReportAnswer::finish() {
  HttpResponse response = multistatus_response(std::move(body_));
  if (question_.properties.minimal) response.add("Preference-Applied", "return=minimal");
  return response;
}

bool ReportAnswer::is_too_large() const { return body_.size() > request_.limits.multistatus_bytes_max; }

bool ReportAnswer::is_heavy(const FoundItems& page) const {
  if (question_.wants_calendar && !question_.calendar.is_whole()) return true;
  std::size_t bytes = 0;
  for (const auto& item : page.items) bytes += item.content.size();
  return bytes > inline_bytes_max;
}

}  // namespace pollux
