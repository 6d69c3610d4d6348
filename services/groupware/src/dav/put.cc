// PUT of a calendar object (RFC 4791, 5.3.2), of a card (RFC 6352, 5.3.2), or of anything else.
#include "dav/errors.h"
#include "dav/methods.h"
#include "dav/preconditions.h"
#include "dav/properties.h"
#include "pollux/groupware/calendar_check.h"
#include "pollux/groupware/card_check.h"

namespace pollux {
namespace {

/// What is said about an item later. Clients choose by the component without reading the body.
std::string content_type_of(const CalendarObject& object) {
  std::string lower = object.component;
  for (char& c : lower) c = static_cast<char>(c - 'A' + 'a');
  return "text/calendar; charset=utf-8; component=" + lower;
}

std::optional<HttpResponse> check_headers(const HttpRequest& http) {
  if (http.header("Content-Range"))
    return plain_response(400, "A part of an item can't be stored: send the whole.");
  return std::nullopt;
}

std::string_view essence_of(std::string_view type) { return trim_blanks(type.substr(0, type.find(';'))); }

std::optional<HttpResponse> check_card_type(const HttpRequest& http) {
  const auto type = http.header("Content-Type");
  if (!type) return std::nullopt;
  const std::string_view essence = essence_of(*type);
  for (const std::string_view known : {"text/vcard", "text/x-vcard", "text/directory"}) {
    if (equal_header(essence, known)) return std::nullopt;
  }
  return precondition_response(403, "CARD:supported-address-data",
                               "An address book takes Content-Type: text/vcard, and this was " +
                                   std::string(essence) +
                                   " (with curl, use -T FILE, or -H 'Content-Type: text/vcard').");
}

std::optional<HttpResponse> check_calendar_type(const HttpRequest& http) {
  const auto type = http.header("Content-Type");
  if (!type) return std::nullopt;
  const std::string_view essence = essence_of(*type);
  if (equal_header(essence, "text/calendar")) return std::nullopt;
  return precondition_response(403, "C:supported-calendar-data",
                               "A calendar takes Content-Type: text/calendar, and this was " +
                                   std::string(essence) +
                                   " (with curl, use -T FILE, or -H 'Content-Type: text/calendar').");
}

HttpResponse refuse_content(const CalendarRefusal& refusal) {
  switch (refusal.fault) {
    case CalendarFault::data:
      return precondition_response(403, "C:valid-calendar-data", refusal.text);
    case CalendarFault::object:
      return precondition_response(403, "C:valid-calendar-object-resource", refusal.text);
    case CalendarFault::component:
      break;
  }
  return precondition_response(403, "C:supported-calendar-component", refusal.text);
}

/// The type of a plain item, as it will be told.
std::string plain_type(const HttpRequest& http) {
  const auto type = http.header("Content-Type");
  if (!type || type->empty() || type->size() > GroupwareLimits::content_type_bytes_max) {
    return "application/octet-stream";
  }
  return std::string(*type);
}

/// RFC 8144, 3.2: what is there instead, so that the client need not ask for it.
Outcome answer_with_current(const DavRequest& request, const PairReply& refused) {
  const GetItem get{
      .caller = request.caller, .path = request.path.resource, .when = {}, .modified_since_s = {}};
  return ask_query(get, [&request, refused](const PairReply& reply) -> Outcome {
    auto item = decode_groupware_reply<Item>(reply.payload);
    if (reply.code != Code::ok || !item) return refusal_response(refused, request);
    HttpResponse response{.status = 412, .headers = {}, .body = {}, .length = {}, .close = false};
    response.add("ETag", item->info.etag).add("Content-Type", item->info.content_type);
    response.add("Content-Location", resource_href(request.path.resource, false));
    response.add("Preference-Applied", "return=representation").add("Vary", "Prefer");
    response.body = std::move(item->content);
    return response;
  });
}

Outcome answer_put(const DavRequest& request, std::string_view content_type, const PairReply& reply) {
  const bool whole = prefers_representation(request.http);
  if (reply.code == Code::precondition_failed && whole) return answer_with_current(request, reply);
  if (reply.code != Code::ok) return refusal_response(reply, request);
  const auto stored = decode_groupware_reply<Stored>(reply.payload);
  if (!stored) return plain_response(500, stored.error().text);
  HttpResponse response{
      .status = stored->created ? 201U : 204U, .headers = {}, .body = {}, .length = {}, .close = false};
  response.add("ETag", stored->etag);
  response.add("Last-Modified", http_date(stored->modified.us / 1'000'000));
  if (!whole) return response;
  if (!stored->created) response.status = 200;
  response.add("Content-Type", content_type);
  response.add("Content-Location", resource_href(request.path.resource, false));
  response.add("Preference-Applied", "return=representation").add("Vary", "Prefer");
  response.body = request.http.body;  // what was stored are these very bytes
  return response;
}

Outcome ask_put(const DavRequest& request, const PutItem& put) {
  return ask_change(put, [&request, type = put.content_type](const PairReply& reply) {
    return answer_put(request, type, reply);
  });
}

Outcome store_plain(const DavRequest& request, Preconditions when) {
  const PutItem put{.caller = request.caller,
                    .path = request.path.resource,
                    .when = std::move(when),
                    .content = request.http.body,
                    .content_type = plain_type(request.http),
                    .uid = {},
                    .component = {}};
  return ask_put(request, put);
}

Outcome store_event(const DavRequest& request, Preconditions when) {
  auto object = check_calendar(request.http.body);
  if (!object) return refuse_content(object.error());
  const CalendarTimes times = calendar_times(request.http.body);
  const PutItem put{.caller = request.caller,
                    .path = request.path.resource,
                    .when = std::move(when),
                    .content = request.http.body,
                    .content_type = content_type_of(*object),
                    .uid = std::move(object->uid),
                    .component = std::move(object->component),
                    .first_s = times.first_s,
                    .last_s = times.last_s};
  return ask_put(request, put);
}

Outcome store_card(const DavRequest& request, Preconditions when) {
  auto card = check_card(request.http.body);
  if (!card) {
    return precondition_response(
        403,
        card.error().fault == CardFault::version ? "CARD:supported-address-data" : "CARD:valid-address-data",
        card.error().text);
  }
  const PutItem put{.caller = request.caller,
                    .path = request.path.resource,
                    .when = std::move(when),
                    .content = request.http.body,
                    .content_type = "text/vcard; charset=utf-8",
                    .uid = std::move(card->uid),
                    .component = "VCARD"};
  return ask_put(request, put);
}

}  // namespace

Outcome handle_put(const DavRequest& request) {
  auto when = read_preconditions(request.http);
  if (!when) return plain_response(400, when.error().text);
  if (auto refused = check_headers(request.http)) return std::move(*refused);
  if (request.path.resource.space == DavSpace::files) return store_plain(request, std::move(*when));
  const bool card = request.path.resource.space == DavSpace::contacts;
  if (auto refused = card ? check_card_type(request.http) : check_calendar_type(request.http))
    return std::move(*refused);
  const auto store = card ? store_card : store_event;
  if (request.http.body.size() <= request.limits.check_inline_bytes_max)
    return store(request, std::move(*when));
  return Work{
      [&request, store, when = std::move(*when)]() mutable { return store(request, std::move(when)); }};
}

}  // namespace pollux
