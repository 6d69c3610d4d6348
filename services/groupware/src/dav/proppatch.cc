// PROPPATCH (RFC 4918, 9.2): all of it, or nothing.
#include "dav/errors.h"
#include "dav/methods.h"
#include "dav/preconditions.h"
#include "dav/properties.h"
#include "dav/property_update.h"

namespace pollux {
namespace {

HttpResponse verdict_response(const DavRequest& request, const PropertyUpdate& update) {
  if (!update.is_refused() && prefers_minimal(request.http)) {
    HttpResponse response{.status = 200, .headers = {}, .body = {}, .length = {}, .close = false};
    response.add("Preference-Applied", "return=minimal");
    return response;
  }
  std::string body = multistatus_begin();
  body.append("<D:response><D:href>");
  append_escaped(&body, resource_href(request.path.resource, request.path.slash));
  body.append("</D:href>");
  append_verdicts(&body, update.verdicts);
  body.append("</D:response>\n");
  return multistatus_response(std::move(body));
}

}  // namespace

Outcome handle_proppatch(const DavRequest& request) {
  auto when = read_preconditions(request.http);
  if (!when) return plain_response(400, when.error().text);
  const auto root = parse_xml(request.http.body);
  if (!root) return plain_response(400, root.error().text);
  if (!root->is(xmlns::dav, "propertyupdate")) {
    return plain_response(400, "The body of PROPPATCH is DAV:propertyupdate.");
  }
  auto update = read_property_update(*root, property_place(request.path.resource), false);
  if (!update) return plain_response(400, update.error().text);
  if (update->verdicts.empty()) {
    return plain_response(400, "The body of PROPPATCH names no property to set or remove.");
  }
  if (update->is_refused()) {
    update->fail_the_others();
    return verdict_response(request, *update);
  }
  SetProperties set{.caller = request.caller,
                    .path = request.path.resource,
                    .when = std::move(*when),
                    .changes = std::move(update->changes),
                    .as_collection = request.path.slash};
  return ask_change(set, [&request, update = std::move(*update)](const PairReply& reply) mutable -> Outcome {
    if (reply.code == Code::ok) return verdict_response(request, update);
    if (reply.code != Code::insufficient) return refusal_response(reply, request);
    update.fail_all("507 Insufficient Storage", {});
    return verdict_response(request, update);
  });
}

}  // namespace pollux
