#include "dav/property_update.h"

#include <algorithm>
#include <array>

#include "calendar/content_lines.h"
#include "dav/properties.h"

namespace pollux {
namespace {

constexpr std::array<std::string_view, 3> components_known{"VEVENT", "VTODO", "VJOURNAL"};
constexpr std::string_view forbidden = "403 Forbidden";

struct Field {
  std::string_view space, name;
  PropertyField field;
  std::optional<PropertyPlace> only;
};
constexpr std::array<Field, 6> fields{{
    {xmlns::dav, "displayname", PropertyField::display_name, {}},
    {xmlns::caldav, "calendar-description", PropertyField::description, PropertyPlace::calendar},
    {xmlns::caldav, "calendar-timezone", PropertyField::timezone, PropertyPlace::calendar},
    {xmlns::apple_ical, "calendar-color", PropertyField::color, PropertyPlace::calendar},
    {xmlns::apple_ical, "calendar-order", PropertyField::order, PropertyPlace::calendar},
    {xmlns::carddav, "addressbook-description", PropertyField::description, PropertyPlace::addressbook},
}};

PropertyField field_of(const XmlName& name, PropertyPlace place) {
  const auto* found = std::ranges::find_if(fields, [&](const Field& field) {
    return field.name == name.name && field.space == name.space && (!field.only || *field.only == place);
  });
  return found == fields.end() ? PropertyField::dead : found->field;
}

const std::string* language_of(const XmlElement& element) {
  for (const auto& [name, value] : element.attributes) {
    if (name.space == xmlns::xml && name.name == "lang") return &value;
  }
  return nullptr;
}

/// One DAV:set or DAV:remove.
class Reader {
 public:
  Reader(PropertyPlace place, bool making) : place_(place), making_(making) {}

  void take(const XmlElement& property, bool remove, const std::string* language) {
    update.verdicts.push_back({.name = property.name});
    PropertyVerdict& verdict = update.verdicts.back();
    if (property.is(xmlns::dav, "resourcetype") && making_) {
      for (const auto& type : property.children) update.resource_types.push_back(type.name);
      return;
    }
    if (property.is(xmlns::caldav, "supported-calendar-component-set") && making_ &&
        place_ == PropertyPlace::calendar) {
      if (!take_components(property)) {
        verdict.status = forbidden;
        verdict.error = "C:supported-calendar-component";
      }
      return;
    }
    if (is_protected_property(property.name)) {
      verdict.status = forbidden;
      verdict.error = "D:cannot-modify-protected-property";
      return;
    }
    PropertyChange change{.field = field_of(property.name, place_),
                          .remove = remove,
                          .value = remove ? std::string() : property.text,
                          .dead = {property.name.space, property.name.name, {}}};
    if (!remove && change.field == PropertyField::timezone && check_timezone(property.text)) {
      verdict.status = forbidden;
      verdict.error = "C:valid-calendar-data";
      return;
    }
    if (!remove) change.dead.xml = element_text(property, language);
    update.changes.push_back(std::move(change));
  }

  PropertyUpdate update;

 private:
  bool take_components(const XmlElement& property) {
    for (const auto& component : property.children) {
      const auto name =
          std::ranges::find_if(component.attributes, [](const auto& a) { return a.first.name == "name"; });
      if (!component.is(xmlns::caldav, "comp") || name == component.attributes.end() ||
          std::ranges::find(components_known, name->second) == components_known.end()) {
        return false;
      }
      if (std::ranges::find(update.components, name->second) == update.components.end()) {
        update.components.push_back(name->second);
      }
    }
    return true;
  }

  /// As it is kept: the language that it has by what is around it goes with it (RFC 4918, 4.3).
  static std::string element_text(const XmlElement& property, const std::string* language) {
    std::string xml;
    if (language == nullptr || language_of(property) != nullptr) {
      append_element(&xml, property);
    } else {
      XmlElement copy = property;
      copy.attributes.emplace_back(XmlName{std::string(xmlns::xml), "lang"}, *language);
      append_element(&xml, copy);
    }
    return xml;
  }

  const PropertyPlace place_;
  const bool making_;
};

}  // namespace

bool PropertyUpdate::is_refused() const {
  return std::ranges::any_of(verdicts, [](const PropertyVerdict& v) { return v.status != "200 OK"; });
}

void PropertyUpdate::fail_the_others() {
  for (auto& verdict : verdicts) {
    if (verdict.status == "200 OK") verdict.status = "424 Failed Dependency";
  }
}

void PropertyUpdate::fail_all(std::string_view status, std::string_view error) {
  for (auto& verdict : verdicts) {
    verdict.status = status;
    verdict.error = error;
  }
}

PropertyPlace property_place(const ResourcePath& path) {
  if (path.names.size() != 1) return PropertyPlace::other;
  if (path.space == DavSpace::calendars) return PropertyPlace::calendar;
  return path.space == DavSpace::contacts ? PropertyPlace::addressbook : PropertyPlace::other;
}

Result<PropertyUpdate> read_property_update(const XmlElement& root, PropertyPlace place, bool making) {
  Reader reader(place, making);
  for (const auto& action : root.children) {
    const bool set = action.is(xmlns::dav, "set");
    const bool remove = action.is(xmlns::dav, "remove") && !making;
    if (!set && !remove) continue;  // RFC 4918, 17: what is not known is ignored
    const XmlElement* prop = action.child(xmlns::dav, "prop");
    if (prop == nullptr) return fail(Code::malformed, "A DAV:set or DAV:remove has no DAV:prop in it.");
    const std::string* language = nullptr;
    for (const XmlElement* outer : {prop, &action, &root}) {
      if (language == nullptr) language = language_of(*outer);
    }
    for (const auto& property : prop->children) reader.take(property, remove, language);
  }
  return std::move(reader.update);
}

void append_verdicts(std::string* out, const std::vector<PropertyVerdict>& verdicts) {
  std::vector<std::pair<std::string_view, std::string_view>> kinds;
  for (const auto& verdict : verdicts) {
    const std::pair kind{verdict.status, verdict.error};
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  }
  for (const auto& [status, error] : kinds) {
    out->append("<D:propstat><D:prop>");
    std::vector<XmlName> told;
    for (const auto& verdict : verdicts) {
      if (verdict.status != status || verdict.error != error) continue;
      if (std::ranges::find(told, verdict.name) != told.end()) continue;
      told.push_back(verdict.name);
      append_empty(out, verdict.name);
    }
    out->append("</D:prop><D:status>HTTP/1.1 ").append(status).append("</D:status>");
    if (!error.empty()) out->append("<D:error><").append(error).append("/></D:error>");
    out->append("</D:propstat>");
  }
}

CollectionProperties new_properties(PropertyUpdate update) {
  CollectionProperties properties;
  properties.components = std::move(update.components);
  for (auto& change : update.changes) {
    switch (change.field) {
      case PropertyField::display_name:
        properties.display_name = std::move(change.value);
        break;
      case PropertyField::description:
        properties.description = std::move(change.value);
        break;
      case PropertyField::color:
        properties.color = std::move(change.value);
        break;
      case PropertyField::order:
        properties.order = std::move(change.value);
        break;
      case PropertyField::timezone:
        properties.timezone = std::move(change.value);
        break;
      case PropertyField::dead:
        std::erase_if(properties.dead, [&](const DeadProperty& dead) {
          return dead.space == change.dead.space && dead.name == change.dead.name;
        });
        properties.dead.push_back(std::move(change.dead));
        break;
    }
  }
  return properties;
}

std::optional<std::string> check_timezone(std::string_view text) {
  const auto bad = [] {
    return std::optional<std::string>(
        "A calendar's time zone is a VCALENDAR with one VTIMEZONE, and nothing else.");
  };
  std::vector<std::string> open;
  std::size_t zones = 0;
  bool has_id = false, ended = false;
  ContentLines lines(text);
  while (const auto line = lines.next()) {
    const auto parts = split_line(line->text);
    if (!parts || ended) return bad();
    if (equal_ignoring_case(parts->name, "BEGIN")) {
      if (open.empty() && !equal_ignoring_case(parts->value, "VCALENDAR")) return bad();
      if (open.size() == 1 && (!equal_ignoring_case(parts->value, "VTIMEZONE") || ++zones > 1)) return bad();
      if (open.size() > 2) return bad();
      open.emplace_back(parts->value);
    } else if (equal_ignoring_case(parts->name, "END")) {
      if (open.empty() || !equal_ignoring_case(parts->value, open.back())) return bad();
      open.pop_back();
      ended = open.empty();
    } else if (open.empty()) {
      return bad();
    } else if (open.size() == 2 && equal_ignoring_case(parts->name, "TZID")) {
      has_id = !parts->value.empty();
    }
  }
  if (!ended || zones != 1 || !has_id) return bad();
  return std::nullopt;
}

}  // namespace pollux
