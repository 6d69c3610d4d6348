// MKCOL (RFC 4918, 9.3), extended MKCOL (RFC 5689), and MKCALENDAR (RFC 4791, 5.3.1), with the properties
// that a client sets at once: all of them, or there is no collection.
#include <algorithm>

#include "dav/errors.h"
#include "dav/methods.h"
#include "dav/preconditions.h"
#include "dav/property_update.h"

namespace pollux {
namespace {

bool is_xml(const HttpRequest& http) {
  const auto type = http.header("Content-Type");
  if (!type) return true;
  const std::string_view essence = trim_blanks(type->substr(0, type->find(';')));
  return equal_header(essence, "application/xml") || equal_header(essence, "text/xml");
}

/// RFC 5689, 3: why there is no collection, by property.
HttpResponse refused_properties(bool calendar, PropertyUpdate update) {
  update.fail_the_others();
  HttpResponse response{.status = 403,
                        .headers = "Content-Type: application/xml; charset=utf-8\r\n",
                        .body = {},
                        .length = {},
                        .close = false};
  const std::string_view element = calendar ? "C:mkcalendar-response" : "D:mkcol-response";
  response.body.append(xml_prolog).append("<").append(element).append(xml_declarations).append(">");
  append_verdicts(&response.body, update.verdicts);
  response.body.append("</").append(element).append(">\n");
  return response;
}

/// Which kind resourcetype asks for; none: one that isn't made here.
std::optional<CollectionKind> kind_of(const std::vector<XmlName>& types) {
  const auto has = [&](std::string_view space, std::string_view name) {
    return std::ranges::find(types, XmlName{std::string(space), std::string(name)}) != types.end();
  };
  if (!has(xmlns::dav, "collection")) return std::nullopt;
  if (types.size() == 1) return CollectionKind::plain;
  if (types.size() == 2 && has(xmlns::caldav, "calendar")) return CollectionKind::calendar;
  if (types.size() == 2 && has(xmlns::carddav, "addressbook")) return CollectionKind::addressbook;
  return std::nullopt;
}

/// The body of either method.
std::expected<MakeCollection, HttpResponse> read_body(const DavRequest& request, bool calendar) {
  MakeCollection make{.caller = request.caller,
                      .path = request.path.resource,
                      .kind = calendar ? CollectionKind::calendar : CollectionKind::plain,
                      .properties = {},
                      .when = {}};
  const std::string& body = request.http.body;
  if (body.empty()) return make;
  if (!calendar && !is_xml(request.http)) {
    return std::unexpected(plain_response(415, "The body of MKCOL is DAV:mkcol, or empty (RFC 5689)."));
  }
  const auto root = parse_xml(body);
  if (!root) return std::unexpected(plain_response(400, root.error().text));
  if (!(calendar ? root->is(xmlns::caldav, "mkcalendar") : root->is(xmlns::dav, "mkcol"))) {
    return std::unexpected(plain_response(415, calendar
                                                   ? "The body of MKCALENDAR is CALDAV:mkcalendar, or empty."
                                                   : "The body of MKCOL is DAV:mkcol, or empty."));
  }
  auto update = read_property_update(*root, property_place(request.path.resource), true);
  if (!update) return std::unexpected(plain_response(400, update.error().text));
  if (!calendar && !update->resource_types.empty()) {
    const auto kind = kind_of(update->resource_types);
    if (kind) make.kind = *kind;
    for (auto& verdict : update->verdicts) {
      if (kind || verdict.name != XmlName{std::string(xmlns::dav), "resourcetype"}) continue;
      verdict.status = "403 Forbidden";
      verdict.error = "D:valid-resourcetype";
    }
  }
  if (update->is_refused()) return std::unexpected(refused_properties(calendar, std::move(*update)));
  make.properties = new_properties(std::move(*update));
  return make;
}

Outcome answer_made(const DavRequest& request, CollectionKind kind, const PairReply& reply) {
  if (reply.code == Code::ok) {
    HttpResponse response{.status = 201, .headers = {}, .body = {}, .length = {}, .close = false};
    response.add("Cache-Control", "no-cache");  // asked for by RFC 4791, 5.3.1
    return response;
  }
  const bool calendar = request.http.method == "MKCALENDAR";
  const auto refusal = decode_groupware_reply<Refusal>(reply.payload).value_or(Refusal{});
  if (reply.code == Code::already_exists) {
    if (calendar) return precondition_response(403, "D:resource-must-be-null", refusal.text);
    return precondition_response(405, "D:resource-must-be-null", refusal.text)
        .add("Allow", allowed_methods(request.path));
  }
  if (reply.code == Code::forbidden && refusal.reason == RefusalReason::wrong_place) {
    if (kind == CollectionKind::calendar) {
      return precondition_response(403, "C:calendar-collection-location-ok", refusal.text);
    }
    if (kind == CollectionKind::addressbook) {
      return precondition_response(403, "CARD:addressbook-collection-location-ok", refusal.text);
    }
    return precondition_response(403, "D:valid-resourcetype", refusal.text);
  }
  return refusal_response(reply, request);
}

Outcome make(const DavRequest& request, bool calendar) {
  auto when = read_preconditions(request.http);
  if (!when) return plain_response(400, when.error().text);
  auto body = read_body(request, calendar);
  if (!body) return std::move(body.error());
  body->when = std::move(*when);
  return ask_change(*body, [&request, kind = body->kind](const PairReply& reply) {
    return answer_made(request, kind, reply);
  });
}

}  // namespace

Outcome handle_mkcol(const DavRequest& request) { return make(request, false); }

Outcome handle_mkcalendar(const DavRequest& request) {
  if (request.path.kind != DavPathKind::resource) {
    return precondition_response(403, "C:calendar-collection-location-ok",
                                 "A calendar is made in a calendar home: /dav/calendars/USER/NAME/");
  }
  return make(request, true);
}

}  // namespace pollux
