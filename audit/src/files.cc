#include "files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace pollux {

Error system_error(const std::string& what, int error_number) {
  if (error_number == ENOSPC || error_number == EDQUOT) {
    return {Code::disk_full, what + ": the disk is full; free space on it or move the data to a larger one"};
  }
  return {Code::io_error, what + ": " + std::strerror(error_number)};
}

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

Fd::~Fd() { close(); }

void Fd::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<void> make_directory(const std::filesystem::path& directory) {
  // Remember which ones are missing: each new entry has to be forced in its parent.
  std::vector<std::filesystem::path> missing;
  std::error_code ignored;
  for (std::filesystem::path at = std::filesystem::absolute(directory, ignored).lexically_normal();
       !at.empty() && !std::filesystem::exists(at, ignored); at = at.parent_path()) {
    if (at.has_filename()) missing.push_back(at);
    if (at == at.root_path()) break;
  }
  while (!missing.empty()) {
    const auto made = missing.back();
    missing.pop_back();
    if (::mkdir(made.c_str(), 0700) != 0 && errno != EEXIST) {
      return std::unexpected(system_error("cannot make the directory " + made.string(), errno));
    }
    if (auto synced = sync_directory(made.parent_path()); !synced) return synced;
  }
  struct stat found{};
  if (::stat(directory.c_str(), &found) != 0) {
    return std::unexpected(system_error("cannot look at " + directory.string(), errno));
  }
  if (!S_ISDIR(found.st_mode)) {
    return fail(Code::io_error,
                directory.string() + " is not a directory; name another place or move it away");
  }
  return {};
}

Result<void> sync_directory(const std::filesystem::path& directory) {
  const Fd fd(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return std::unexpected(system_error("cannot open the directory " + directory.string(), errno));
  if (::fsync(fd.get()) != 0) {
    return std::unexpected(system_error("cannot force the directory " + directory.string(), errno));
  }
  return {};
}

Result<void> write_all(int fd, std::string_view bytes, const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return std::unexpected(system_error("cannot write " + file.string(), errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<DirectoryLock> DirectoryLock::take(const std::filesystem::path& directory) {
  const auto file = directory / "open.lock";
  Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return std::unexpected(system_error("cannot open " + file.string(), errno));
  // flock belongs to the open file, not to the process: a second open in this very process is refused too,
  // which LMDB itself does not survive.
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return fail(Code::in_use, directory.string() + " is in use by another process; stop that one first");
    }
    return std::unexpected(system_error("cannot lock " + file.string(), errno));
  }
  return DirectoryLock(std::move(fd));
}

}  // namespace pollux
