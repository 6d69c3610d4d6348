// The few file operations that the file witness and the sockets need. Errors are errno values.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "pollux/core/result.h"

namespace pollux {

/// A file descriptor that is closed with its owner.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  void reset();
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// "No space left on device".
std::string errno_text(int error);
/// io_error or disk_full.
Code errno_code(int error);
/// The whole file, at most `bytes_max`; longer is EFBIG. Returns 0 or an errno.
int read_file(const std::filesystem::path& path, std::size_t bytes_max, std::string* content);
/// Writes all bytes at `offset`. Returns 0 or an errno.
int write_all(int fd, std::string_view bytes, off_t offset);
/// 32 lower-case hex digits.
std::string random_hex();
void fill_random(void* to, std::size_t count);

}  // namespace pollux
