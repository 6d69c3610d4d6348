// GET and HEAD: an item's octets as they were PUT; for a collection one sentence.
#include <memory>

#include "dav/errors.h"
#include "dav/methods.h"
#include "dav/preconditions.h"
#include "pollux/groupware/service.h"

namespace pollux {
namespace {

HttpResponse item_response(Item item) {
  HttpResponse response{
      .status = item.not_modified ? 304U : 200U, .headers = {}, .body = {}, .length = {}, .close = false};
  response.headers.reserve(256);
  response.add("ETag", item.info.etag);
  response.add("Last-Modified", http_date(item.info.modified.us / 1'000'000));
  response.add("Cache-Control", "private, no-cache");  // may be kept, but asked about every time
  if (item.not_modified) return response;
  response.add("Content-Type",
               item.info.content_type.empty() ? "application/octet-stream" : item.info.content_type);
  // What one user has stored must not run as a page of this server for another.
  response.add("X-Content-Type-Options", "nosniff");
  response.add("Content-Security-Policy", "sandbox; default-src 'none'");
  response.length = item.info.bytes;
  response.body = std::move(item.content);
  return response;
}

Outcome answer_item(const DavRequest& request, const PairReply& reply) {
  if (reply.code != Code::ok) {
    const auto refusal = decode_groupware_reply<Refusal>(reply.payload);
    if (reply.code == Code::conflict && refusal && refusal->reason == RefusalReason::is_collection) {
      return plain_response(200, "This is a collection: open it with a CalDAV, CardDAV or WebDAV client.");
    }
    return refusal_response(reply, request);
  }
  auto item = decode_groupware_reply<Item>(reply.payload);
  if (!item) return plain_response(500, item.error().text);
  return item_response(std::move(*item));
}

}  // namespace

Outcome handle_get(const DavRequest& request) {
  if (request.path.kind == DavPathKind::unknown)
    return plain_response(404, "There is nothing here: begin at /dav/.");
  if (request.path.kind != DavPathKind::resource) {
    return plain_response(200, "This is Pollux groupware. Calendars are at " +
                                   home_href(DavSpace::calendars, request.caller.user) +
                                   ": open that URL with a CalDAV client.");
  }
  auto when = read_preconditions(request.http);
  if (!when) return plain_response(400, when.error().text);
  const auto get = std::make_shared<GetItem>(GetItem{.caller = request.caller,
                                                     .path = request.path.resource,
                                                     .when = std::move(*when),
                                                     .as_collection = request.path.slash,
                                                     .without_content = request.http.method == "HEAD",
                                                     .modified_since_s = {}});
  if (const auto since = request.http.header("If-Modified-Since"))
    get->modified_since_s = parse_http_date(*since);
  // A refusal is told with the words of the pair's reply.
  return Read{.from_state = [get](ReadTxn& txn) -> std::optional<Outcome> {
                auto item = read_item(*get, wall_now(), txn);
                return item ? std::optional<Outcome>(item_response(std::move(*item))) : std::nullopt;
              },
              .otherwise = [get, &request] {
                return Outcome(ask_query(
                    *get, [&request](const PairReply& reply) { return answer_item(request, reply); }));
              }};
}

}  // namespace pollux
