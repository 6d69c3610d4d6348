#include "run_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "config_check.h"
#include "config_rules.h"
#include "pollux/core/hash.h"

namespace pollux {

namespace {

/// The longest name of ours in it: "/" NAME ".a.heartbeat.sock".
constexpr std::size_t entry_length_max = 1 + name_length_max + std::string_view(".a.heartbeat.sock").size();

}  // namespace

std::filesystem::path run_directory(const std::filesystem::path& data) {
  std::filesystem::path run = data / "run";
  if (run.string().size() + entry_length_max <= socket_path_max) return run;
  struct stat status{};
  const uid_t owner = ::stat(data.c_str(), &status) == 0 ? status.st_uid : ::geteuid();
  const std::string digest = to_string(chain_hash(Hash{}, data.string())).substr(0, 16);
  return "/tmp/pollux-" + std::to_string(owner) + "-" + digest;
}

Result<void> make_run_directory(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(Code::io_error, directory.string() + ": can't be made: " + std::strerror(errno) +
                                    "; see that its parent exists and is writable");
  }
  struct stat status{};
  if (::lstat(directory.c_str(), &status) != 0) {
    return fail(Code::io_error, directory.string() + ": " + std::strerror(errno));
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) {
    return fail(Code::forbidden,
                directory.string() +
                    " exists and is not a directory of this user; remove it, or choose a shorter "
                    "path for the data directory");
  }
  if ((status.st_mode & 077) != 0 && ::chmod(directory.c_str(), 0700) != 0) {
    return fail(Code::forbidden, directory.string() + ": can't be made private: " + std::strerror(errno));
  }
  return {};
}

}  // namespace pollux
