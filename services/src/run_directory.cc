#include "run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "config_check.h"
#include "config_rules.h"
#include "file_io.h"
#include "pollux/core/hash.h"

namespace pollux {

namespace {

/// The longest name of ours in it: "/" NAME ".a.heartbeat.sock".
constexpr std::size_t entry_length_max = 1 + name_length_max + std::string_view(".a.heartbeat.sock").size();
constexpr std::string_view owner_file = "data";
constexpr std::chrono::hours unnamed_kept{24};

bool is_run_directory_name(std::string_view name, uid_t owner) {
  const std::string prefix = "pollux-" + std::to_string(owner) + "-";
  return name.starts_with(prefix) && name.size() == prefix.size() + 16 &&
         name.find_first_not_of("0123456789abcdef", prefix.size()) == std::string_view::npos;
}

/// Does a process hold a lock on this file? To be asked only about files that this process has not locked: closing
/// a descriptor drops the locks of one's own.
bool is_locked(const std::filesystem::path& file) {
  const FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return true;
  struct ::flock asked{};
  asked.l_type = F_WRLCK;
  asked.l_whence = SEEK_SET;
  return ::fcntl(fd.get(), F_GETLK, &asked) != 0 || asked.l_type != F_UNLCK;
}

bool is_left_behind(const std::filesystem::path& directory) {
  std::error_code error;
  const auto named = read_small_file(directory / owner_file);
  if (named) {
    std::string data = *named;
    if (data.ends_with('\n')) data.pop_back();
    struct stat status{};
    if (data.empty() || ::stat(data.c_str(), &status) == 0 || errno != ENOENT) return false;
  } else {
    const auto changed = std::filesystem::last_write_time(directory, error);
    if (error || changed > std::filesystem::file_time_type::clock::now() - unnamed_kept) return false;
  }
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".lock" && is_locked(entry.path())) return false;
  }
  return !error;
}

void remove_run_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const auto type = entry.symlink_status(error).type();
    const bool ours = type == std::filesystem::file_type::socket || type == std::filesystem::file_type::regular;
    if (!ours) return;
    files.push_back(entry.path());
  }
  for (const auto& file : files) ::unlink(file.c_str());
  ::rmdir(directory.c_str());
}

}  // namespace

void tidy_run_directories(const std::filesystem::path& run, const std::filesystem::path& data,
                          const std::filesystem::path& parent) {
  const uid_t me = ::geteuid();
  if (run.parent_path() == parent && is_run_directory_name(run.filename().string(), me)) {
    const std::string text = data.string() + "\n";
    if (const auto there = read_small_file(run / owner_file); !there || *there != text) {
      static_cast<void>(write_durably(run / owner_file, text));
    }
  }
  std::error_code error;
  std::vector<std::filesystem::path> old;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    struct stat status{};
    const bool mine = is_run_directory_name(entry->path().filename().string(), me) && entry->path() != run &&
                      ::lstat(entry->path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == me;
    if (mine && is_left_behind(entry->path())) old.push_back(entry->path());
  }
  for (const auto& directory : old) remove_run_directory(directory);
}

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
