// A child's log file: the child writes to it by itself (append mode), the node keeps it small and, in the
// foreground, reads what was added.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "file_io.h"
#include "pollux/core/result.h"

namespace pollux {

class ChildLog {
 public:
  ChildLog(std::filesystem::path file, std::uint64_t bytes_max)
      : file_(std::move(file)), bytes_max_(bytes_max) {}

  /// A descriptor for a child's stdout and stderr. Makes the file (mode 0600) if it is missing.
  [[nodiscard]] Result<FileDescriptor> open_for_child() const;

  /// Beyond the limit its content moves to `.1`, but for a block or what `read_lines` has not handed over. The
  /// child keeps its descriptor, so the beginning is copied and then cut out of the file (ext4, xfs): no line is
  /// lost, but one may begin in `.1` and end here. On other file systems all is copied and the file emptied: what
  /// is written at that very moment is lost.
  void rotate();

  /// From now on `read_lines` hands over what is added.
  void follow_from_end();
  /// Whole lines that were added since the last call, at most `lines_max`; true if there may be more.
  bool read_lines(const std::function<void(std::string_view line)>& line, std::size_t lines_max = 200);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::uint64_t bytes_max_;
  [[nodiscard]] std::uint64_t removable(std::uint64_t size) const;

  std::uint64_t offset_ = 0;  ///< up to here `read_lines` has read
  bool followed_ = false;
  std::string rest_;  ///< of a line whose end was not written yet
};

}  // namespace pollux
