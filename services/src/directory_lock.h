// A member's directory is locked for its process's life (I12), and it belongs to one member of one pair.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "file_io.h"
#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

/// Who holds a lock: its pid as the kernel tells it, and what the holder wrote into the file (all zero if it
/// has not yet).
struct LockHolder {
  pid_t pid = 0;
  RunId run;
  BootId boot;
  std::string started;
};

/// The member that runs in `directory`, if one does. This is how a new supervisor finds those that outlived
/// the old one. A POSIX lock (F_SETLK), since only its holder's pid can be asked for.
std::optional<LockHolder> lock_holder(const std::filesystem::path& directory);

/// Held until the process ends or this object does. No other code of the process may open the lock file:
/// closing any descriptor of it would drop the lock.
class ProcessLock {
 public:
  /// Makes the directory (mode 0700) if it is missing. `in_use` names who holds it.
  static Result<ProcessLock> take(const std::filesystem::path& directory, RunId run, BootId boot);
  /// The same for any other thing that only one process may have, such as an endpoint: locks `file`.
  static Result<ProcessLock> take_file(const std::filesystem::path& file, const std::string& what, RunId run,
                                         BootId boot);

 private:
  explicit ProcessLock(FileDescriptor fd) : fd_(std::move(fd)) {}
  FileDescriptor fd_;
};

/// Whose directory it is. Written once, checked at every start.
struct DirectoryIdentity {
  ClusterId cluster;
  std::string pair;
  std::string member;
};
/// Writes the identity into a directory that has none; refuses (`bad_config`) one that belongs to another
/// cluster, pair or member.
Result<void> claim_directory(const std::filesystem::path& directory, const DirectoryIdentity& mine);

}  // namespace pollux
