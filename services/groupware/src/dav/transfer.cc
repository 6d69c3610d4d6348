// COPY and MOVE (RFC 4918, 9.8 and 9.9).
#include "dav/errors.h"
#include "dav/methods.h"
#include "dav/preconditions.h"

namespace pollux {
namespace {

std::expected<ResourcePath, HttpResponse> read_destination(const DavRequest& request) {
  const auto text = request.http.header("Destination");
  if (!text || text->empty()) {
    return std::unexpected(plain_response(400, "A Destination header says where to."));
  }
  const auto reference = parse_reference(*text, request.http.header("Host").value_or(""));
  if (!reference) {
    return std::unexpected(plain_response(400, "The Destination is malformed. " + reference.error().text));
  }
  if (reference->elsewhere) {
    return std::unexpected(plain_response(
        502, "The Destination is on another server, by its Host: copying goes no further than this one."));
  }
  if (reference->path.kind != DavPathKind::resource) {
    return std::unexpected(plain_response(403, "Nothing can be stored at the Destination."));
  }
  return reference->path.resource;
}

std::optional<HttpResponse> read_flags(const DavRequest& request, TransferResource* transfer) {
  if (const auto overwrite = request.http.header("Overwrite")) {
    if (!equal_header(*overwrite, "T") && !equal_header(*overwrite, "F")) {
      return plain_response(400, "Overwrite is T or F.");
    }
    transfer->overwrite = equal_header(*overwrite, "T");
  }
  const auto depth = request.http.header("Depth");
  if (!depth || equal_header(*depth, "infinity")) return std::nullopt;
  if (*depth != "0") return plain_response(400, "Depth is 0 or infinity for COPY, and infinity for MOVE.");
  // An item has nothing below it, and is moved with either depth.
  if (transfer->move && request.path.slash) {
    return plain_response(400,
                          "A collection is moved with all that is in it: Depth is infinity, or left out.");
  }
  transfer->shallow = true;
  return std::nullopt;
}

Outcome answer_transfer(const DavRequest& request, const ResourcePath& to, const PairReply& reply) {
  if (reply.code != Code::ok) {
    ResourcePath parent = to;
    if (!parent.names.empty()) parent.names.pop_back();
    return refusal_response(reply, request, parent);
  }
  const auto stored = decode_groupware_reply<Stored>(reply.payload);
  if (!stored) return plain_response(500, stored.error().text);
  HttpResponse response{
      .status = stored->created ? 201U : 204U, .headers = {}, .body = {}, .length = {}, .close = false};
  if (stored->created) response.add("Location", resource_href(to, false));
  return response;
}

Outcome transfer(const DavRequest& request, bool move) {
  auto when = read_preconditions(request.http);
  if (!when) return plain_response(400, when.error().text);
  auto to = read_destination(request);
  if (!to) return std::move(to.error());
  TransferResource asked{.caller = request.caller,
                         .from = request.path.resource,
                         .to = *to,
                         .when = std::move(*when),
                         .move = move,
                         .overwrite = true,
                         .shallow = false,
                         .from_collection = request.path.slash};
  if (auto refused = read_flags(request, &asked)) return std::move(*refused);
  return ask_change(asked, [&request, to = std::move(*to)](const PairReply& reply) {
    return answer_transfer(request, to, reply);
  });
}

}  // namespace

Outcome handle_copy(const DavRequest& request) { return transfer(request, false); }
Outcome handle_move(const DavRequest& request) { return transfer(request, true); }

}  // namespace pollux
