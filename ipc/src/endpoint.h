// Endpoints as configured: "ipc:///path" or "tcp://host:port".
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "files.h"
#include "pollux/core/result.h"

namespace pollux {

/// Length of a Unix socket's path that the kernel accepts (unix(7): 108 with the final zero).
inline constexpr std::size_t ipc_path_bytes_max = 107;

/// Form and length; `bad_config` with one line that names the endpoint.
Result<void> check_endpoint(const std::string& endpoint);

/// The path of an ipc endpoint.
std::optional<std::filesystem::path> ipc_path(const std::string& endpoint);

/// A listening Unix socket at `path`, mode 0600 from its first moment. A file that a killed process left
/// behind is replaced; `in_use` if somebody still listens there.
Result<UniqueFd> listen_unix(const std::filesystem::path& path);

}  // namespace pollux
