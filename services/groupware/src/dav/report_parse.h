// What REPORT bodies say, read into the structs of the calendar and contacts libraries.
#pragma once

#include <expected>

#include "calendar/filter.h"
#include "calendar/render.h"
#include "contacts/card_filter.h"
#include "dav/properties.h"
#include "dav/xml.h"
#include "http/message.h"

namespace pollux {

/// Without the white space of XML around it.
std::string_view trim_space(std::string_view text);

/// What was read, or the answer to what can't be.
template <class T>
using Parsed = std::expected<T, HttpResponse>;

struct ReportLimits {
  static constexpr std::size_t filters_max =
      200;  ///< conditions in one filter: each costs a look at every item
};

/// C:filter with the filter of VCALENDAR in it (RFC 4791, 9.7).
Parsed<CompFilter> parse_calendar_filter(const XmlElement& filter);
/// CARD:filter (RFC 6352, 10.5).
Parsed<CardFilter> parse_card_filter(const XmlElement& filter);
/// C:time-range, C:expand and their like: UTC times, one of them at least; both if `closed`.
Parsed<TimeRange> parse_time_range(const XmlElement& element, bool closed);
/// C:timezone (RFC 4791, 9.8): null without one.
Parsed<ZonePtr> parse_timezone(const XmlElement& root);

/// What is asked about each item: properties, and how much of its content.
struct ReportQuestion {
  PropfindQuestion properties;
  bool wants_calendar = false, wants_card = false;  ///< calendar-data, address-data
  CalendarDataQuestion calendar;
  CardDataQuestion card;

  [[nodiscard]] bool wants_content() const { return wants_calendar || wants_card; }
};
Parsed<ReportQuestion> parse_report_question(const XmlElement& root, const HttpRequest& http);

/// The number in NAME/nresults, in namespace `space`; none without one (RFC 6578, 3.7; RFC 6352, 10.6).
Parsed<std::optional<std::uint32_t>> parse_limit(const XmlElement& root, std::string_view space);

}  // namespace pollux
