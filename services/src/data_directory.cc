// The data directory: made once, marked by its cluster.id, private to one user.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "clocks.h"
#include "file_io.h"
#include "pollux/services/config.h"
#include "run_directory.h"
#include "text.h"

namespace pollux {

namespace {

constexpr const char* id_name = "cluster.id";
constexpr std::string_view draft_prefix = ".cluster.id.";  // a draft that a crash left behind is harmless
constexpr std::size_t id_file_bytes_max = 64;

/// Every part that is missing, each with its parent synced, so that none is lost in a power failure.
Result<void> make_directories(const std::filesystem::path& directory) {
  if (directory.empty() || ::access(directory.c_str(), F_OK) == 0) return {};
  const std::filesystem::path parent = directory.parent_path();
  if (parent != directory) {
    if (Result<void> made = make_directories(parent); !made) return made;
  }
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail_errno(cat("can't make ", directory, "; choose a data directory that this user may write to"),
                      errno);
  }
  Result<void> synced = sync_names_in(parent);
  // A directory that one may write to but not list can't be synced; the rest of the path still is.
  if (!synced && synced.error().code == Code::forbidden) return {};
  return synced;
}

/// Ours, private, and either empty or a data directory.
Result<void> check_directory(const std::filesystem::path& data) {
  struct stat status{};
  if (::stat(data.c_str(), &status) != 0) return fail_errno(cat("can't read ", data), errno);
  if (!S_ISDIR(status.st_mode)) {
    return fail(Code::bad_config, data.string() + ": is not a directory; choose another data directory");
  }
  if (status.st_uid != ::geteuid()) {
    return fail(Code::forbidden, data.string() + ": belongs to another user (uid " +
                                     std::to_string(status.st_uid) +
                                     "); run as that user, or choose another data directory");
  }
  std::error_code error;
  if (std::filesystem::exists(data / id_name, error)) return {};
  std::filesystem::directory_iterator entries(data, error);
  if (error) return fail(Code::io_error, data.string() + ": can't be read (" + error.message() + ")");
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename();
    if (name == "lost+found" || name.starts_with(draft_prefix))
      continue;                                                     // the root of a file system is empty too
    if (std::filesystem::exists(data / id_name, error)) return {};  // another process made it a moment ago
    return fail(Code::bad_config,
                data.string() + ": is neither empty nor a data directory of Pollux (no cluster.id, but " +
                    name + "); choose an empty or a new directory");
  }
  return {};
}

Result<void> make_private(const std::filesystem::path& data) {
  struct stat status{};
  if (::stat(data.c_str(), &status) == 0 && (status.st_mode & 0777) != 0700 &&
      ::chmod(data.c_str(), 0700) != 0) {
    return fail_errno(cat("can't make ", data, " private (mode 0700)"), errno);
  }
  return {};
}

Result<ClusterId> read_cluster_id(const std::filesystem::path& data) {
  const std::filesystem::path file = data / id_name;
  const Result<std::string> text = read_small_file(file, id_file_bytes_max);
  if (!text && text.error().code == Code::not_found) {
    return fail(Code::not_found,
                data.string() + ": is no data directory of Pollux yet; start one with: pollux up");
  }
  if (!text) return std::unexpected(text.error());
  ClusterId id;
  std::string_view hex = *text;
  if (hex.ends_with('\n')) hex.remove_suffix(1);
  if (!parse_id(hex, &id) || id.none()) {
    return fail(Code::damaged,
                file.string() + ": holds no cluster id (32 hex digits); put back its copy from a backup");
  }
  return id;
}

/// A draft is written and synced, then linked: the file is there with all its bytes, or not at all, and the
/// first of two creators wins.
Result<void> create_cluster_id(const std::filesystem::path& data) {
  const ClusterId id = random_id<ClusterId>();
  const std::filesystem::path draft = data / (std::string(draft_prefix) + to_string(id));
  if (Result<void> written = write_durably(draft, to_string(id) + "\n"); !written) return written;
  const bool linked = ::link(draft.c_str(), (data / id_name).c_str()) == 0 || errno == EEXIST;
  if (!linked) {
    auto failed = fail_errno(cat("can't make ", data / id_name, "; the file system needs hard links"), errno);
    ::unlink(draft.c_str());
    return failed;
  }
  ::unlink(draft.c_str());
  return sync_names_in(data);
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
