// The directory of a data directory's sockets: <data>/run, or, as a Unix socket's path holds 107 bytes only,
// a private directory under /tmp that is derived from the data directory's path.
#pragma once

#include <filesystem>

#include "pollux/core/result.h"

namespace pollux {

/// Depends on nothing but the path of `data` and its owner, so that every command finds the same directory.
/// ($XDG_RUNTIME_DIR would differ between a login, sudo and cron.)
std::filesystem::path run_directory(const std::filesystem::path& data);

/// Makes it, mode 0700. `forbidden` if something else has that name: another user's directory, a file, a
/// link.
Result<void> make_run_directory(const std::filesystem::path& directory);

/// Writes into `run` whose sockets these are, and removes those under `parent` (/tmp) that this user's data
/// directories left behind: the data directory is gone (or, if none is named, the directory is a day old), and no
/// process holds a lock in it. Best effort: what can't be removed stays.
void tidy_run_directories(const std::filesystem::path& run, const std::filesystem::path& data,
                          const std::filesystem::path& parent = "/tmp");

}  // namespace pollux
