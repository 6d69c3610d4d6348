// The data directory: made once, marked by its cluster.id, private to one user.
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "pollux/services/config.h"
#include "run_directory.h"

namespace pollux {

namespace {

constexpr const char* id_name = "cluster.id";
constexpr std::string_view draft_prefix = ".cluster.id.";  // a draft that a crash left behind is harmless
constexpr std::size_t id_file_bytes_max = 64;

std::unexpected<Error> fail_errno(const std::filesystem::path& path, std::string_view what, std::string_view advice) {
  const Code code = errno == ENOSPC || errno == EDQUOT ? Code::disk_full : Code::io_error;
  return fail(code, path.string() + ": " + std::string(what) + " (" + std::strerror(errno) + "); " + std::string(advice));
}

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

Result<void> sync_directory(const std::filesystem::path& directory) {
  const Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.ok() || ::fsync(fd.get()) != 0) {
    return fail_errno(directory, "can't be synced", "see that the disk is healthy");
  }
  return {};
}

/// Every part that is missing, each with its parent synced, so that none is lost in a power failure.
Result<void> make_directories(const std::filesystem::path& directory) {
  if (directory.empty() || ::access(directory.c_str(), F_OK) == 0) return {};
  const std::filesystem::path parent = directory.parent_path();
  if (parent != directory) {
    if (Result<void> made = make_directories(parent); !made) return made;
  }
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail_errno(directory, "can't be made", "choose a data directory that this user may write to");
  }
  return sync_directory(parent);
}

/// Ours, private, and either empty or a data directory.
Result<void> check_directory(const std::filesystem::path& data) {
  struct stat status {};
  if (::stat(data.c_str(), &status) != 0) return fail_errno(data, "can't be read", "see that it exists");
  if (!S_ISDIR(status.st_mode)) {
    return fail(Code::bad_config, data.string() + ": is not a directory; choose another data directory");
  }
  if (status.st_uid != ::geteuid()) {
    return fail(Code::forbidden, data.string() + ": belongs to another user (uid " + std::to_string(status.st_uid) +
                                     "); run as that user, or choose another data directory");
  }
  std::error_code error;
  if (std::filesystem::exists(data / id_name, error)) return {};
  std::filesystem::directory_iterator entries(data, error);
  if (error) return fail(Code::io_error, data.string() + ": can't be read (" + error.message() + ")");
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename();
    if (name == "lost+found" || name.starts_with(draft_prefix)) continue;  // the root of a file system is empty too
    return fail(Code::bad_config, data.string() +
                                      ": is neither empty nor a data directory of Pollux (no cluster.id, but " + name +
                                      "); choose an empty or a new directory");
  }
  return {};
}

Result<void> make_private(const std::filesystem::path& data) {
  struct stat status {};
  if (::stat(data.c_str(), &status) == 0 && (status.st_mode & 0777) != 0700 && ::chmod(data.c_str(), 0700) != 0) {
    return fail_errno(data, "can't be made private (mode 0700)", "see who owns it");
  }
  return {};
}

Result<ClusterId> read_cluster_id(const std::filesystem::path& data) {
  const std::filesystem::path file = data / id_name;
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) {
    if (errno == ENOENT) {
      return fail(Code::not_found, data.string() + ": is no data directory of Pollux yet; start one with: pollux up");
    }
    return fail_errno(file, "can't be read", "run as the user that owns the data directory");
  }
  char text[id_file_bytes_max];
  const ssize_t count = ::read(fd.get(), text, sizeof text);
  ClusterId id;
  std::string_view hex(text, count > 0 ? static_cast<std::size_t>(count) : 0);
  if (hex.ends_with('\n')) hex.remove_suffix(1);
  if (!parse_id(hex, &id) || id.none()) {
    return fail(Code::damaged, file.string() + ": holds no cluster id (32 hex digits); put back its copy from a backup");
  }
  return id;
}

/// A draft is written and synced, then linked: the file is there with all its bytes, or not at all, and the
/// first of two creators wins.
Result<void> create_cluster_id(const std::filesystem::path& data) {
  ClusterId id;
  if (::getrandom(id.bytes.data(), id.bytes.size(), 0) != static_cast<ssize_t>(id.bytes.size())) {
    return fail_errno(data, "no random bytes", "try again");
  }
  const std::string text = to_string(id) + "\n";
  const std::filesystem::path draft = data / (std::string(draft_prefix) + to_string(id));
  const Fd fd(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.ok()) return fail_errno(draft, "can't be made", "see that the data directory is writable");
  const bool written = ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fsync(fd.get()) == 0;
  if (!written) {
    auto failed = fail_errno(draft, "can't be written", "see that the disk has room and is healthy");
    ::unlink(draft.c_str());
    return failed;
  }
  const bool linked = ::link(draft.c_str(), (data / id_name).c_str()) == 0 || errno == EEXIST;
  if (!linked) {
    auto failed = fail_errno(data / id_name, "can't be made", "see that the file system has hard links");
    ::unlink(draft.c_str());
    return failed;
  }
  ::unlink(draft.c_str());
  return sync_directory(data);
}

}  // namespace

Result<void> prepare_data_directory(Config& config) {
  if (Result<void> made = make_directories(config.data); !made) return made;
  if (Result<void> checked = check_directory(config.data); !checked) return checked;
  if (Result<void> closed = make_private(config.data); !closed) return closed;
  Result<ClusterId> id = read_cluster_id(config.data);
  if (!id && id.error().code == Code::not_found) {
    if (Result<void> created = create_cluster_id(config.data); !created) return created;
    id = read_cluster_id(config.data);
  }
  if (!id) return std::unexpected(id.error());
  config.cluster = *id;
  for (const std::filesystem::path& directory : {config.data / "run", config.data / "log", config.run}) {
    if (Result<void> made = make_run_directory(directory); !made) return made;
  }
  return {};
}

Result<void> open_data_directory(Config& config) {
  Result<ClusterId> id = read_cluster_id(config.data);
  if (!id) return std::unexpected(id.error());
  config.cluster = *id;
  return {};
}

}  // namespace pollux
