// The If header (RFC 4918, 10.4).
#pragma once

#include "pollux/groupware/requests.h"

namespace pollux {

/// `host`: the request's Host header, by which tagged lists are told from those about other servers.
/// malformed with a sentence.
Result<std::vector<IfList>> parse_if_header(std::string_view text, std::string_view host);

}  // namespace pollux
