// The socket a gateway listens on, held by the node: when the gateway dies, connections wait in it for the next one
// instead of being refused.
#pragma once

#include <string>

#include "file_io.h"
#include "pollux/core/result.h"

namespace pollux {

/// `address` is a number with a port, such as 127.0.0.1:8080 or [::1]:0 (a free port). `in_use` if another program
/// has it.
Result<FileDescriptor> open_listening_socket(const std::string& address);

}  // namespace pollux
