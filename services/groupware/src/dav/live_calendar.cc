// Properties of calendars (RFC 4791) and address books (RFC 6352).
#include <array>

#include "dav/live_properties.h"

namespace pollux {
namespace {

bool is_calendar(const Subject& subject) { return subject.kind == SubjectKind::calendar; }
bool is_addressbook(const Subject& subject) { return subject.kind == SubjectKind::addressbook; }

bool supported_calendar_component_set(const Subject& subject, const PropertyContext&, std::string* out) {
  if (!is_calendar(subject)) return false;
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
  if (!is_calendar(subject)) return false;
  out->append("<C:calendar-data content-type=\"text/calendar\" version=\"2.0\"/>");
  return true;
}
bool supported_collation_set(const Subject& subject, const PropertyContext&, std::string* out) {
  if (!is_calendar(subject)) return false;
  out->append(
      "<C:supported-collation>i;ascii-casemap</C:supported-collation>"
      "<C:supported-collation>i;octet</C:supported-collation>"
      "<C:supported-collation>i;unicode-casemap</C:supported-collation>");
  return true;
}
bool calendar_max_resource_size(const Subject& subject, const PropertyContext& context, std::string* out) {
  return is_calendar(subject) && write_text(std::to_string(context.item_bytes_max), out);
}
bool calendar_description(const Subject& subject, const PropertyContext&, std::string* out) {
  return is_calendar(subject) && write_text(subject.collection->properties.description, out);
}
bool calendar_timezone(const Subject& subject, const PropertyContext&, std::string* out) {
  return is_calendar(subject) && write_text(subject.collection->properties.timezone, out);
}
bool calendar_color(const Subject& subject, const PropertyContext&, std::string* out) {
  return is_calendar(subject) && write_text(subject.collection->properties.color, out);
}
bool calendar_order(const Subject& subject, const PropertyContext&, std::string* out) {
  return is_calendar(subject) && write_text(subject.collection->properties.order, out);
}

bool addressbook_description(const Subject& subject, const PropertyContext&, std::string* out) {
  return is_addressbook(subject) && write_text(subject.collection->properties.description, out);
}
bool supported_address_data(const Subject& subject, const PropertyContext&, std::string* out) {
  if (!is_addressbook(subject)) return false;
  out->append(
      "<CARD:address-data-type content-type=\"text/vcard\" version=\"3.0\"/>"
      "<CARD:address-data-type content-type=\"text/vcard\" version=\"4.0\"/>");
  return true;
}
bool card_collation_set(const Subject& subject, const PropertyContext&, std::string* out) {
  if (!is_addressbook(subject)) return false;
  out->append(
      "<CARD:supported-collation>i;ascii-casemap</CARD:supported-collation>"
      "<CARD:supported-collation>i;octet</CARD:supported-collation>"
      "<CARD:supported-collation>i;unicode-casemap</CARD:supported-collation>");
  return true;
}
bool card_max_resource_size(const Subject& subject, const PropertyContext& context, std::string* out) {
  return is_addressbook(subject) && write_text(std::to_string(context.item_bytes_max), out);
}

constexpr std::array<LiveProperty, 12> table{{
    {xmlns::caldav, "supported-calendar-component-set", false, true, supported_calendar_component_set},
    {xmlns::caldav, "supported-calendar-data", false, true, supported_calendar_data},
    {xmlns::caldav, "supported-collation-set", false, true, supported_collation_set},
    {xmlns::caldav, "max-resource-size", false, true, calendar_max_resource_size},
    {xmlns::caldav, "calendar-description", false, false, calendar_description},
    {xmlns::caldav, "calendar-timezone", false, false, calendar_timezone},
    {xmlns::apple_ical, "calendar-color", false, false, calendar_color},
    {xmlns::apple_ical, "calendar-order", false, false, calendar_order},
    {xmlns::carddav, "addressbook-description", false, false, addressbook_description},
    {xmlns::carddav, "supported-address-data", false, true, supported_address_data},
    {xmlns::carddav, "supported-collation-set", false, true, card_collation_set},
    {xmlns::carddav, "max-resource-size", false, true, card_max_resource_size},
}};

}  // namespace

std::span<const LiveProperty> calendar_properties() { return table; }

}  // namespace pollux
