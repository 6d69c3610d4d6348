#include "dav/methods.h"

#include <algorithm>
#include <array>

namespace pollux {
namespace {

struct Method {
  std::string_view name;
  Outcome (*handle)(const DavRequest&);
};
constexpr std::array<Method, 14> methods{{{"GET", handle_get},
                                          {"HEAD", handle_get},
                                          {"PROPFIND", handle_propfind},
                                          {"PUT", handle_put},
                                          {"DELETE", handle_delete},
                                          {"OPTIONS", handle_options},
                                          {"PROPPATCH", handle_proppatch},
                                          {"REPORT", handle_report},
                                          {"MKCOL", handle_mkcol},
                                          {"MKCALENDAR", handle_mkcalendar},
                                          {"COPY", handle_copy},
                                          {"MOVE", handle_move},
                                          {"LOCK", handle_lock},
                                          {"UNLOCK", handle_unlock}}};

const Method* find_method(std::string_view name) {
  const auto* found = std::ranges::find(methods, name, &Method::name);
  return found == methods.end() ? nullptr : found;
}

bool lists(std::string_view allowed, std::string_view method) {
  for (std::size_t at = 0; at < allowed.size();) {
    const std::size_t end = std::min(allowed.find(", ", at), allowed.size());
    if (allowed.substr(at, end - at) == method) return true;
    at = end + 2;
  }
  return false;
}

}  // namespace

bool is_known_method(std::string_view method) { return find_method(method) != nullptr; }

std::string_view allowed_methods(const DavPath& path) {
  if (path.kind != DavPathKind::resource) return "OPTIONS, GET, HEAD, PROPFIND, REPORT";
  const ResourcePath& at = path.resource;
  if (at.names.empty()) return "OPTIONS, GET, HEAD, PROPFIND, REPORT, PROPPATCH, LOCK, UNLOCK";
  if (at.names.size() == 1 && at.space == DavSpace::calendars) {
    return "OPTIONS, GET, HEAD, PROPFIND, REPORT, PROPPATCH, DELETE, COPY, MOVE, LOCK, UNLOCK, MKCOL, "
           "MKCALENDAR";
  }
  if ((at.names.size() == 1 && at.space == DavSpace::contacts) || path.slash) {
    return "OPTIONS, GET, HEAD, PROPFIND, REPORT, PROPPATCH, DELETE, COPY, MOVE, LOCK, UNLOCK, MKCOL";
  }
  return "OPTIONS, GET, HEAD, PROPFIND, REPORT, PROPPATCH, PUT, DELETE, COPY, MOVE, LOCK, UNLOCK, MKCOL";
}

std::uint64_t body_bytes_max(std::string_view method, const GatewayLimits& limits) {
  return method == "PUT" ? limits.body_bytes_max : limits.xml_bytes_max;
}

Outcome handle(const DavRequest& request) {
  const Method* method = find_method(request.http.method);
  if (method == nullptr) {
    auto response = plain_response(501, "This server doesn't know that method.");
    response.add("Allow", allowed_methods(request.path));
    return response;
  }
  // MKCALENDAR at the wrong place has an answer of its own (RFC 4791, 5.3.1.1).
  if (request.http.method != "MKCALENDAR" && !lists(allowed_methods(request.path), request.http.method)) {
    auto response =
        plain_response(405, request.http.method == "PUT"
                                ? "An item is stored in a collection: /dav/calendars/USER/CALENDAR/NAME.ics"
                                : "This method can't be used here.");
    response.add("Allow", allowed_methods(request.path));
    return response;
  }
  if (const auto encoding = request.http.header("Content-Encoding");
      encoding && !equal_header(*encoding, "identity")) {
    return std::move(
        plain_response(415, "The body is compressed: send it as it is.").add("Accept-Encoding", "identity"));
  }
  return method->handle(request);
}

}  // namespace pollux
