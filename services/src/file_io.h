// Small files that must survive a crash, and descriptors that close themselves.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "pollux/core/result.h"

namespace pollux {

/// A file descriptor that is closed with its owner.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }
  void reset() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

/// Replaces `file` by `content`, durably: a crash leaves the old content or the new, never a mixture.
Result<void> write_durably(const std::filesystem::path& file, std::string_view content);
/// Makes names in `directory` durable.
Result<void> sync_names_in(const std::filesystem::path& directory);
/// The whole file, at most `bytes_max`. `not_found` if there is none.
Result<std::string> read_small_file(const std::filesystem::path& file, std::size_t bytes_max = 1u << 20);

}  // namespace pollux
