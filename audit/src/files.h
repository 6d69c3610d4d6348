// Files and directories of a member: made durable, locked, replaced atomically.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "pollux/core/result.h"

namespace pollux {

/// An Error for a failed system call: `disk_full` for ENOSPC and EDQUOT, else `io_error`. `what` says what
/// was tried: "cannot write /a/b".
Error system_error(const std::string& what, int error_number);

/// A file descriptor that closes itself.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  void close();

 private:
  int fd_ = -1;
};

/// Makes a directory with mode 0700 (and its parents), durably. Fine if it is there.
Result<void> make_directory(const std::filesystem::path& directory);
/// Forces a directory's entries: without it a new or renamed file can be gone after a power loss.
Result<void> sync_directory(const std::filesystem::path& directory);
/// Writes all bytes at the file's present place.
Result<void> write_all(int fd, std::string_view bytes, const std::filesystem::path& file);

/// Holds `directory/open.lock` for as long as it lives. `in_use` if another process, or this one, has it.
class DirectoryLock {
 public:
  static Result<DirectoryLock> take(const std::filesystem::path& directory);

 private:
  explicit DirectoryLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace pollux
