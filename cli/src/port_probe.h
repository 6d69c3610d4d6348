// Is a TCP address free to listen on?
#pragma once

#include <string>

#include "pollux/core/result.h"

namespace pollux {

/// `listen` as in the configuration: ADDRESS:PORT. `in_use` says what to do.
Result<void> probe_port(const std::string& listen);

}  // namespace pollux
