#include "dav/live_properties.h"

#include <array>
#include <ctime>

#include "dav/path.h"
#include "http/message.h"

namespace pollux {
namespace {

bool write_text(std::string_view text, std::string* out) {
  if (text.empty()) return false;
  append_escaped(out, text);
  return true;
}

bool write_href(std::string_view href, std::string* out) {
  out->append("<D:href>");
  append_escaped(out, href);
  out->append("</D:href>");
  return true;
}

bool resourcetype(const Subject& subject, const PropertyContext&, std::string* out) {
  if (subject.kind == SubjectKind::item) return true;  // empty
  out->append("<D:collection/>");
  if (subject.kind == SubjectKind::principal) out->append("<D:principal/>");
  if (subject.kind == SubjectKind::calendar) out->append("<C:calendar/>");
  return true;
}

bool displayname(const Subject& subject, const PropertyContext&, std::string* out) {
  switch (subject.kind) {
    case SubjectKind::root:
      return write_text("Pollux", out);
    case SubjectKind::principals:
      return write_text("Users", out);
    case SubjectKind::homes:
      return write_text("Calendars", out);
    case SubjectKind::principal:
      return write_text(subject.principal->display_name, out);
    case SubjectKind::home:
      return write_text("Calendars of " + subject.collection->owner, out);
    case SubjectKind::calendar:
      return write_text(subject.collection->properties.display_name.empty()
                            ? subject.collection->name
                            : subject.collection->properties.display_name,
                        out);
    case SubjectKind::item:
      break;
  }
  return false;
}

bool getetag(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.item != nullptr && write_text(subject.item->etag, out);
}
bool getcontentlength(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.item != nullptr && write_text(std::to_string(subject.item->bytes), out);
}
bool getcontenttype(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.item != nullptr && write_text(subject.item->content_type, out);
}

bool getlastmodified(const Subject& subject, const PropertyContext&, std::string* out) {
  if (subject.item != nullptr) return write_text(http_date(subject.item->modified.us / 1'000'000), out);
  return subject.collection != nullptr &&
         write_text(http_date(subject.collection->modified.us / 1'000'000), out);
}

/// RFC 3339, in UTC.
bool creationdate(const Subject& subject, const PropertyContext&, std::string* out) {
  std::time_t time = 0;
  if (subject.item != nullptr) {
    time = subject.item->created.us / 1'000'000;
  } else if (subject.collection != nullptr) {
    time = subject.collection->created.us / 1'000'000;
  } else if (subject.principal != nullptr) {
    time = subject.principal->created.us / 1'000'000;
  } else {
    return false;
  }
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return write_text({text.data(), size}, out);
}

bool current_user_principal(const Subject&, const PropertyContext& context, std::string* out) {
  return write_href(principal_href(context.user), out);
}
bool principal_url(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.principal != nullptr && write_href(principal_href(subject.principal->user), out);
}
bool calendar_home_set(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.principal != nullptr && write_href(home_href(subject.principal->user), out);
}
bool owner(const Subject& subject, const PropertyContext& context, std::string* out) {
  if (subject.collection != nullptr) return write_href(principal_href(subject.collection->owner), out);
  return subject.item != nullptr && write_href(principal_href(context.user), out);
}

bool supported_calendar_component_set(const Subject& subject, const PropertyContext&, std::string* out) {
  if (subject.kind != SubjectKind::calendar) return false;
  static const std::vector<std::string> every{"VEVENT", "VTODO", "VJOURNAL"};
  const auto& own = subject.collection->properties.components;
  for (const auto& component : own.empty() ? every : own) {
    out->append("<C:comp name=\"");
    append_escaped(out, component);
    out->append("\"/>");
  }
  return true;
}
bool supported_calendar_data(const Subject& subject, const PropertyContext&, std::string* out) {
  if (subject.kind != SubjectKind::calendar) return false;
  out->append("<C:calendar-data content-type=\"text/calendar\" version=\"2.0\"/>");
  return true;
}
bool max_resource_size(const Subject& subject, const PropertyContext& context, std::string* out) {
  return subject.kind == SubjectKind::calendar && write_text(std::to_string(context.item_bytes_max), out);
}
bool calendar_description(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.collection != nullptr && write_text(subject.collection->properties.description, out);
}
bool calendar_timezone(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.collection != nullptr && write_text(subject.collection->properties.timezone, out);
}
bool calendar_color(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.collection != nullptr && write_text(subject.collection->properties.color, out);
}
bool calendar_order(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.collection != nullptr && write_text(subject.collection->properties.order, out);
}

/// The collection's id is never used again, so the tag of a collection made anew is another.
bool getctag(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.collection != nullptr &&
         write_text(std::to_string(subject.collection->id) + "-" + std::to_string(subject.collection->change),
                    out);
}

bool supported_report_set(const Subject&, const PropertyContext&, std::string*) {
  return true;
}  // empty: none yet

constexpr std::array<LiveProperty, 21> table{{
    {xmlns::dav, "resourcetype", true, true, resourcetype},
    {xmlns::dav, "displayname", true, false, displayname},
    {xmlns::dav, "getetag", true, true, getetag},
    {xmlns::dav, "getcontentlength", true, true, getcontentlength},
    {xmlns::dav, "getcontenttype", true, true, getcontenttype},
    {xmlns::dav, "getlastmodified", true, true, getlastmodified},
    {xmlns::dav, "creationdate", true, true, creationdate},
    {xmlns::dav, "current-user-principal", false, true, current_user_principal},
    {xmlns::dav, "principal-URL", false, true, principal_url},
    {xmlns::dav, "owner", false, true, owner},
    {xmlns::dav, "supported-report-set", false, true, supported_report_set},
    {xmlns::caldav, "calendar-home-set", false, true, calendar_home_set},
    {xmlns::caldav, "supported-calendar-component-set", false, false, supported_calendar_component_set},
    {xmlns::caldav, "supported-calendar-data", false, true, supported_calendar_data},
    {xmlns::caldav, "max-resource-size", false, true, max_resource_size},
    {xmlns::caldav, "calendar-description", false, false, calendar_description},
    {xmlns::caldav, "calendar-timezone", false, false, calendar_timezone},
    {xmlns::calendarserver, "getctag", false, true, getctag},
    {xmlns::apple_ical, "calendar-color", false, false, calendar_color},
    {xmlns::apple_ical, "calendar-order", false, false, calendar_order},
    // Locks are not there yet; a client that asks learns so from an empty list.
    {xmlns::dav, "supportedlock", false, true, supported_report_set},
}};

}  // namespace

std::span<const LiveProperty> live_properties() { return table; }

}  // namespace pollux
