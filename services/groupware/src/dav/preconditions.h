// If-Match, If-None-Match, If-Unmodified-Since (RFC 9110, 13.1), and If (RFC 4918, 10.4).
#pragma once

#include "http/message.h"
#include "pollux/groupware/requests.h"

namespace pollux {

struct TagLimits {
  static constexpr std::size_t tags_max = 100;
};

/// "*" or a list of entity tags; malformed with a sentence.
Result<TagList> parse_tag_list(std::string_view text);
/// These headers of a request.
Result<Preconditions> read_preconditions(const HttpRequest& request);

}  // namespace pollux
