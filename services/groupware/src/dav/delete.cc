// DELETE of an item or a collection (RFC 4918, 9.6).
#include "dav/errors.h"
#include "dav/methods.h"
#include "dav/preconditions.h"

namespace pollux {

namespace {

/// By its URL alone: in a home of calendars or address books there is nothing else.
bool names_collection(const DavPath& path) {
  return path.slash || (path.resource.space != DavSpace::files && path.resource.names.size() == 1);
}

}  // namespace

Outcome handle_delete(const DavRequest& request) {
  auto when = read_preconditions(request.http);
  if (!when) return plain_response(400, when.error().text);
  if (const auto depth = request.http.header("Depth");
      depth && !equal_header(*depth, "infinity") && names_collection(request.path)) {
    return plain_response(400,
                          "A collection is deleted with all that is in it: Depth is infinity, or left out.");
  }
  const DeleteResource del{.caller = request.caller,
                           .path = request.path.resource,
                           .when = std::move(*when),
                           .as_collection = request.path.slash};
  return ask_change(del, [&request](const PairReply& reply) -> Outcome {
    if (reply.code != Code::ok) return refusal_response(reply, request);
    return HttpResponse{.status = 204, .headers = {}, .body = {}, .length = {}, .close = false};
  });
}

}  // namespace pollux
