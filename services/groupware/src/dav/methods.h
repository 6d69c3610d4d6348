// The HTTP methods, one file each.
#pragma once

#include "http/outcome.h"

namespace pollux {

Outcome handle_options(const DavRequest& request);
Outcome handle_get(const DavRequest& request);  ///< and HEAD
Outcome handle_put(const DavRequest& request);
Outcome handle_delete(const DavRequest& request);
Outcome handle_propfind(const DavRequest& request);
Outcome handle_proppatch(const DavRequest& request);
Outcome handle_report(const DavRequest& request);
Outcome handle_mkcol(const DavRequest& request);
Outcome handle_mkcalendar(const DavRequest& request);
Outcome handle_copy(const DavRequest& request);
Outcome handle_move(const DavRequest& request);
Outcome handle_lock(const DavRequest& request);
Outcome handle_unlock(const DavRequest& request);

/// The method's function; 501 for one the gateway doesn't know, 405 with Allow for one that doesn't fit
/// the URL.
Outcome handle(const DavRequest& request);
/// Whether the gateway knows the method at all (501 before the body is read).
bool is_known_method(std::string_view method);
/// What `Allow` says for a URL.
std::string_view allowed_methods(const DavPath& path);
/// How large a body this method takes.
std::uint64_t body_bytes_max(std::string_view method, const GatewayLimits& limits);

}  // namespace pollux
