// MKCALENDAR (RFC 4791, 5.3.1), with the properties a client sets at once.
#include <algorithm>
#include <array>

#include "dav/errors.h"
#include "dav/methods.h"
#include "dav/properties.h"

namespace pollux {
namespace {

constexpr std::array<std::string_view, 3> components_known{"VEVENT", "VTODO", "VJOURNAL"};

/// Empty: done. Otherwise why not.
std::optional<HttpResponse> take_components(const XmlElement& property, CollectionProperties* properties) {
  for (const auto& component : property.children) {
    const auto name =
        std::ranges::find_if(component.attributes, [](const auto& a) { return a.first.name == "name"; });
    if (!component.is(xmlns::caldav, "comp") || name == component.attributes.end() ||
        std::ranges::find(components_known, name->second) == components_known.end()) {
      return precondition_response(403, "C:supported-calendar-component",
                                   "A calendar can be limited to VEVENT, VTODO and VJOURNAL.");
    }
    if (std::ranges::find(properties->components, name->second) == properties->components.end()) {
      properties->components.push_back(name->second);
    }
  }
  return std::nullopt;
}

std::optional<HttpResponse> take_property(const XmlElement& property, CollectionProperties* properties) {
  const XmlName& name = property.name;
  if (property.is(xmlns::dav, "displayname")) {
    properties->display_name = property.text;
  } else if (property.is(xmlns::caldav, "calendar-description")) {
    properties->description = property.text;
  } else if (property.is(xmlns::caldav, "calendar-timezone")) {
    properties->timezone = property.text;
  } else if (property.is(xmlns::apple_ical, "calendar-color")) {
    properties->color = property.text;
  } else if (property.is(xmlns::apple_ical, "calendar-order")) {
    properties->order = property.text;
  } else if (property.is(xmlns::caldav, "supported-calendar-component-set")) {
    return take_components(property, properties);
  } else if (property.is(xmlns::dav, "resourcetype")) {
    return std::nullopt;  // the method has said it
  } else if (is_protected_property(name)) {
    return precondition_response(403, "D:cannot-modify-protected-property",
                                 "The property " + name.name + " is computed by the server.");
  } else {
    DeadProperty dead{name.space, name.name, {}};
    append_element(&dead.xml, property);
    std::erase_if(properties->dead,
                  [&](const DeadProperty& d) { return d.space == dead.space && d.name == dead.name; });
    properties->dead.push_back(std::move(dead));
  }
  return std::nullopt;
}

std::optional<HttpResponse> read_body(std::string_view body, CollectionProperties* properties) {
  if (body.empty()) return std::nullopt;
  const auto root = parse_xml(body);
  if (!root) return plain_response(400, root.error().text);
  if (!root->is(xmlns::caldav, "mkcalendar")) {
    return plain_response(415, "The body of MKCALENDAR is CALDAV:mkcalendar, or empty.");
  }
  for (const auto& set : root->children) {
    const XmlElement* prop = set.is(xmlns::dav, "set") ? set.child(xmlns::dav, "prop") : nullptr;
    if (prop == nullptr) return plain_response(400, "CALDAV:mkcalendar holds DAV:set with a DAV:prop in it.");
    for (const auto& property : prop->children) {
      if (auto refused = take_property(property, properties)) return refused;
    }
  }
  return std::nullopt;
}

Outcome answer_mkcalendar(const PairReply& reply) {
  if (reply.code == Code::ok) {
    HttpResponse response{.status = 201, .headers = {}, .body = {}, .length = {}, .close = false};
    response.add("Cache-Control", "no-cache");  // asked for by RFC 4791, 5.3.1
    return response;
  }
  const auto refusal = decode_groupware_reply<Refusal>(reply.payload);
  if (reply.code == Code::already_exists) {
    return precondition_response(403, "D:resource-must-be-null", refusal.value_or(Refusal{}).text);
  }
  if (reply.code == Code::forbidden && refusal && refusal->reason == RefusalReason::wrong_place) {
    return precondition_response(403, "C:calendar-collection-location-ok", refusal->text);
  }
  return refusal_response(reply, {});
}

}  // namespace

Outcome handle_mkcalendar(const DavRequest& request) {
  if (request.path.kind != DavPathKind::resource) {
    return precondition_response(403, "C:calendar-collection-location-ok",
                                 "A calendar is made in a calendar home: /dav/calendars/USER/NAME/");
  }
  MakeCollection make{.caller = request.caller,
                      .path = request.path.resource,
                      .kind = CollectionKind::calendar,
                      .properties = {}};
  if (auto refused = read_body(request.http.body, &make.properties)) return std::move(*refused);
  return ask_change(make, answer_mkcalendar);
}

}  // namespace pollux
