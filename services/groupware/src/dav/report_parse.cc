#include "dav/report_parse.h"

#include <charconv>

#include "calendar/content_lines.h"
#include "dav/errors.h"

namespace pollux {
namespace {

std::optional<std::string_view> attribute(const XmlElement& element, std::string_view name) {
  for (const auto& [own, value] : element.attributes) {
    if (own.space.empty() && own.name == name) return value;
  }
  return std::nullopt;
}
bool says_yes(const XmlElement& element, std::string_view name) {
  const auto value = attribute(element, name);
  return value && equal_ignoring_case(*value, "yes");
}

/// Filters of CalDAV and CardDAV are much alike, each in a namespace of its own.
class FilterReader {
 public:
  explicit FilterReader(std::string_view space)
      : space_(space), prefix_(space == xmlns::caldav ? "C:" : "CARD:") {}

  Parsed<std::string> name_of(const XmlElement& element) {
    if (++count_ > ReportLimits::filters_max) {
      return std::unexpected(
          refuse("supported-filter",
                 "The filter has more than " + std::to_string(ReportLimits::filters_max) + " conditions."));
    }
    const auto name = attribute(element, "name");
    if (!name || name->empty()) {
      return std::unexpected(
          refuse("valid-filter", "A " + element.name.name + " in the filter has no name."));
    }
    return std::string(*name);
  }
  [[nodiscard]] bool has(const XmlElement& element, std::string_view child) const {
    return element.child(space_, child) != nullptr;
  }
  [[nodiscard]] HttpResponse refuse(std::string_view condition, std::string_view sentence) const {
    return precondition_response(403, prefix_ + std::string(condition), sentence);
  }

  Parsed<TextMatch> text_match(const XmlElement& element, Collation preset) {
    Collation collation = preset;
    if (const auto name = attribute(element, "collation")) {
      const auto found = find_collation(*name, preset);
      if (!found) {
        return std::unexpected(
            refuse("supported-collation", "The collation \"" + std::string(*name) +
                                              "\" is not known here: i;ascii-casemap, i;octet and "
                                              "i;unicode-casemap are."));
      }
      collation = *found;
    }
    MatchType type = MatchType::contains;
    if (const auto word = attribute(element, "match-type")) {
      if (*word == "equals") {
        type = MatchType::equals;
      } else if (*word == "starts-with") {
        type = MatchType::starts_with;
      } else if (*word == "ends-with") {
        type = MatchType::ends_with;
      } else if (*word != "contains") {
        return std::unexpected(
            refuse("valid-filter", "match-type is equals, contains, starts-with or ends-with."));
      }
    }
    return TextMatch(element.text, collation, type, says_yes(element, "negate-condition"));
  }

  Parsed<ParamFilter> param_filter(const XmlElement& element, Collation preset) {
    auto name = name_of(element);
    if (!name) return std::unexpected(name.error());
    ParamFilter filter{
        .name = std::move(*name), .is_not_defined = has(element, "is-not-defined"), .text = {}};
    if (const auto* text = element.child(space_, "text-match")) {
      auto match = text_match(*text, preset);
      if (!match) return std::unexpected(match.error());
      filter.text = std::move(*match);
    }
    return filter;
  }

  Parsed<std::vector<ParamFilter>> param_filters(const XmlElement& element, Collation preset) {
    std::vector<ParamFilter> filters;
    for (const auto& child : element.children) {
      if (!child.is(space_, "param-filter")) continue;
      auto filter = param_filter(child, preset);
      if (!filter) return std::unexpected(filter.error());
      filters.push_back(std::move(*filter));
    }
    return filters;
  }

 private:
  const std::string_view space_;
  const std::string prefix_;
  std::size_t count_ = 0;
};

class CalendarFilterReader {
 public:
  Parsed<CompFilter> comp_filter(const XmlElement& element, std::size_t depth, std::string_view parent) {
    auto name = reader_.name_of(element);
    if (!name) return std::unexpected(name.error());
    CompFilter filter{.name = std::move(*name), .is_not_defined = reader_.has(element, "is-not-defined")};
    for (const auto& child : element.children) {
      if (auto refused = add(child, depth, &filter)) return std::unexpected(std::move(*refused));
    }
    if (!filter.range) return filter;
    const bool timed =
        depth == 1
            ? equal_ignoring_case(filter.name, "VEVENT") || equal_ignoring_case(filter.name, "VTODO") ||
                  equal_ignoring_case(filter.name, "VJOURNAL") ||
                  equal_ignoring_case(filter.name, "VFREEBUSY")
            : depth == 2 && equal_ignoring_case(filter.name, "VALARM") &&
                  (equal_ignoring_case(parent, "VEVENT") || equal_ignoring_case(parent, "VTODO"));
    if (timed) return filter;
    return std::unexpected(reader_.refuse(
        "supported-filter",
        "A time-range is for VEVENT, VTODO, VJOURNAL, VFREEBUSY, and VALARM in one of the first two."));
  }

 private:
  std::optional<HttpResponse> add(const XmlElement& child, std::size_t depth, CompFilter* filter) {
    if (child.is(xmlns::caldav, "comp-filter")) {
      auto inner = comp_filter(child, depth + 1, filter->name);
      if (!inner) return std::move(inner.error());
      filter->components.push_back(std::move(*inner));
    } else if (child.is(xmlns::caldav, "prop-filter")) {
      auto inner = prop_filter(child);
      if (!inner) return std::move(inner.error());
      filter->properties.push_back(std::move(*inner));
    } else if (child.is(xmlns::caldav, "time-range")) {
      auto range = parse_time_range(child, false);
      if (!range) return std::move(range.error());
      filter->range = *range;
    }
    return std::nullopt;
  }

  Parsed<PropFilter> prop_filter(const XmlElement& element) {
    auto name = reader_.name_of(element);
    if (!name) return std::unexpected(name.error());
    PropFilter filter{.name = std::move(*name), .is_not_defined = reader_.has(element, "is-not-defined")};
    if (const auto* child = element.child(xmlns::caldav, "time-range")) {
      auto range = parse_time_range(*child, false);
      if (!range) return std::unexpected(range.error());
      filter.range = *range;
    }
    if (const auto* child = element.child(xmlns::caldav, "text-match")) {
      auto match = reader_.text_match(*child, Collation::ascii_casemap);
      if (!match) return std::unexpected(match.error());
      filter.text = std::move(*match);
    }
    auto parameters = reader_.param_filters(element, Collation::ascii_casemap);
    if (!parameters) return std::unexpected(parameters.error());
    filter.parameters = std::move(*parameters);
    return filter;
  }

  FilterReader reader_{xmlns::caldav};
};

Parsed<bool> all_of(const XmlElement& element, const FilterReader& reader) {
  const auto test = attribute(element, "test");
  if (!test || *test == "anyof") return false;
  if (*test == "allof") return true;
  return std::unexpected(reader.refuse("valid-filter", "test is anyof or allof."));
}

Parsed<CardPropFilter> card_prop_filter(const XmlElement& element, FilterReader* reader) {
  auto name = reader->name_of(element);
  if (!name) return std::unexpected(name.error());
  const auto all = all_of(element, *reader);
  if (!all) return std::unexpected(all.error());
  CardPropFilter filter{
      .name = std::move(*name), .all_of = *all, .is_not_defined = reader->has(element, "is-not-defined")};
  for (const auto& child : element.children) {
    if (!child.is(xmlns::carddav, "text-match")) continue;
    auto match = reader->text_match(child, Collation::unicode_casemap);
    if (!match) return std::unexpected(match.error());
    filter.texts.push_back(std::move(*match));
  }
  auto parameters = reader->param_filters(element, Collation::unicode_casemap);
  if (!parameters) return std::unexpected(parameters.error());
  filter.parameters = std::move(*parameters);
  return filter;
}

Parsed<CompSelection> parse_selection(const XmlElement& comp) {
  const auto name = attribute(comp, "name");
  if (!name) return std::unexpected(plain_response(400, "A C:comp in calendar-data has no name."));
  CompSelection selection{.name = std::string(*name),
                          .all_properties = comp.child(xmlns::caldav, "allprop") != nullptr,
                          .all_components = comp.child(xmlns::caldav, "allcomp") != nullptr};
  for (const auto& child : comp.children) {
    if (child.is(xmlns::caldav, "comp")) {
      auto inner = parse_selection(child);
      if (!inner) return inner;
      selection.components.push_back(std::move(*inner));
    } else if (child.is(xmlns::caldav, "prop")) {
      const auto property = attribute(child, "name");
      if (!property) return std::unexpected(plain_response(400, "A C:prop in calendar-data has no name."));
      selection.properties.push_back({std::string(*property), says_yes(child, "novalue")});
    }
  }
  return selection;
}

/// The content type and version that are asked for must be those there are.
bool is_type(const XmlElement& data, std::string_view type,
             std::initializer_list<std::string_view> versions) {
  const auto asked = attribute(data, "content-type");
  if (asked && !equal_ignoring_case(trim_blanks(asked->substr(0, asked->find(';'))), type)) return false;
  const auto version = attribute(data, "version");
  return !version || std::find(versions.begin(), versions.end(), *version) != versions.end();
}

Parsed<CalendarDataQuestion> parse_calendar_data(const XmlElement& data) {
  if (!is_type(data, "text/calendar", {"2.0"})) {
    return std::unexpected(precondition_response(
        403, "C:supported-calendar-data", "Calendar data are given as text/calendar, version 2.0, only."));
  }
  CalendarDataQuestion question;
  if (const auto* comp = data.child(xmlns::caldav, "comp")) {
    auto selection = parse_selection(*comp);
    if (!selection) return std::unexpected(selection.error());
    question.selection = std::move(*selection);
  }
  const std::array<std::pair<std::string_view, std::optional<TimeRange>*>, 3> ranges{
      {{"expand", &question.expand},
       {"limit-recurrence-set", &question.limit_recurrences},
       {"limit-freebusy-set", &question.limit_freebusy}}};
  for (const auto& [name, to] : ranges) {
    const auto* element = data.child(xmlns::caldav, name);
    if (element == nullptr) continue;
    auto range = parse_time_range(*element, true);
    if (!range) return std::unexpected(range.error());
    *to = *range;
  }
  return question;
}

Parsed<CardDataQuestion> parse_card_data(const XmlElement& data) {
  if (!is_type(data, "text/vcard", {"3.0", "4.0"})) {
    return std::unexpected(
        precondition_response(403, "CARD:supported-address-data",
                              "Address data are given as text/vcard, as they were stored, only."));
  }
  CardDataQuestion question;
  for (const auto& child : data.children) {
    if (!child.is(xmlns::carddav, "prop")) continue;
    const auto name = attribute(child, "name");
    if (!name) return std::unexpected(plain_response(400, "A CARD:prop in address-data has no name."));
    question.all = false;
    question.properties.push_back({std::string(*name), says_yes(child, "novalue")});
  }
  if (data.child(xmlns::carddav, "allprop") != nullptr) question.all = true;
  return question;
}

}  // namespace

std::string_view trim_space(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

Parsed<CompFilter> parse_calendar_filter(const XmlElement& filter) {
  const XmlElement* root = filter.child(xmlns::caldav, "comp-filter");
  if (root == nullptr || !equal_ignoring_case(attribute(*root, "name").value_or(""), "VCALENDAR")) {
    return std::unexpected(
        precondition_response(403, "C:valid-filter", "A filter begins with the comp-filter of VCALENDAR."));
  }
  return CalendarFilterReader().comp_filter(*root, 0, {});
}

Parsed<CardFilter> parse_card_filter(const XmlElement& element) {
  FilterReader reader(xmlns::carddav);
  const auto all = all_of(element, reader);
  if (!all) return std::unexpected(all.error());
  CardFilter filter{.all_of = *all, .properties = {}};
  for (const auto& child : element.children) {
    if (!child.is(xmlns::carddav, "prop-filter")) continue;
    auto property = card_prop_filter(child, &reader);
    if (!property) return std::unexpected(property.error());
    filter.properties.push_back(std::move(*property));
  }
  return filter;
}

Parsed<TimeRange> parse_time_range(const XmlElement& element, bool closed) {
  const auto invalid = [&](std::string_view sentence) {
    return std::unexpected(element.name.name == "time-range"
                               ? precondition_response(403, "C:valid-filter", sentence)
                               : plain_response(400, sentence));
  };
  TimeRange range;
  for (const auto& [name, to] : {std::pair{"start", &range.start_s}, std::pair{"end", &range.end_s}}) {
    const auto text = attribute(element, name);
    if (!text) continue;
    *to = parse_utc_time(*text);
    if (!*to)
      return invalid("The " + std::string(name) +
                     " of a time range is a time in UTC, as in 20240131T100000Z.");
  }
  if (closed ? !range.start_s || !range.end_s : !range.start_s && !range.end_s) {
    return invalid(closed ? "This time range needs start and end." : "A time range needs start or end.");
  }
  if (range.from() >= range.to()) return invalid("A time range ends after it starts.");
  return range;
}

Parsed<ZonePtr> parse_timezone(const XmlElement& root) {
  const XmlElement* element = root.child(xmlns::caldav, "timezone");
  if (element == nullptr) return ZonePtr();
  if (auto zone = zone_of_calendar_text(element->text)) return zone;
  return std::unexpected(precondition_response(
      403, "C:valid-calendar-data", "The C:timezone of the query has no VTIMEZONE that can be read."));
}

Parsed<ReportQuestion> parse_report_question(const XmlElement& root, const HttpRequest& http) {
  ReportQuestion question;
  question.properties.mode = PropfindQuestion::Mode::some;
  question.properties.minimal = prefers_minimal(http);
  if (root.child(xmlns::dav, "allprop") != nullptr) question.properties.mode = PropfindQuestion::Mode::all;
  if (root.child(xmlns::dav, "propname") != nullptr) question.properties.mode = PropfindQuestion::Mode::names;
  const XmlElement* prop = root.child(xmlns::dav, "prop");
  if (prop == nullptr) return question;
  for (const auto& wanted : prop->children) {
    if (wanted.is(xmlns::caldav, "calendar-data")) {
      auto calendar = parse_calendar_data(wanted);
      if (!calendar) return std::unexpected(calendar.error());
      question.wants_calendar = true;
      question.calendar = std::move(*calendar);
    } else if (wanted.is(xmlns::carddav, "address-data")) {
      auto card = parse_card_data(wanted);
      if (!card) return std::unexpected(card.error());
      question.wants_card = true;
      question.card = std::move(*card);
    } else {
      question.properties.names.push_back(wanted.name);
    }
  }
  return question;
}

Parsed<std::optional<std::uint32_t>> parse_limit(const XmlElement& root, std::string_view space) {
  const XmlElement* limit = root.child(space, "limit");
  const XmlElement* results = limit == nullptr ? nullptr : limit->child(space, "nresults");
  if (results == nullptr) return std::nullopt;
  const std::string_view text = trim_space(results->text);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return std::nullopt;  // more than there can be
  if (error != std::errc() || end != text.data() + text.size() || number == 0) {
    return std::unexpected(plain_response(400, "nresults is a whole number above 0."));
  }
  return number;
}

}  // namespace pollux
