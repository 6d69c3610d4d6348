#include "child_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "text.h"

namespace pollux {

namespace {

constexpr std::size_t line_bytes_max = 16u << 10;  // a longer one is shown in parts

std::uint64_t size_of(const std::filesystem::path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

Result<FileDescriptor> ChildLog::open_for_child() const {
  FileDescriptor fd(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return fail_errno(cat("can't open the log file ", file_), errno);
  return fd;
}

void ChildLog::rotate() {
  if (size_of(file_) <= bytes_max_) return;
  std::filesystem::path former = file_;
  former += ".1";
  std::error_code error;
  std::filesystem::copy_file(file_, former, std::filesystem::copy_options::overwrite_existing, error);
  // A full disk must not keep the log from shrinking: then its content is lost, and that is better.
  if (error) std::filesystem::remove(former, error);
  if (::truncate(file_.c_str(), 0) == 0) offset_ = 0;
}

void ChildLog::follow_from_end() {
  offset_ = size_of(file_);
  rest_.clear();
}

bool ChildLog::read_lines(const std::function<void(std::string_view line)>& line, std::size_t lines_max) {
  if (size_of(file_) < offset_) offset_ = 0;
  const FileDescriptor fd(::open(file_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return false;
  for (std::size_t told = 0; told < lines_max;) {
    char part[4096];
    const ssize_t count = ::pread(fd.get(), part, sizeof part, static_cast<off_t>(offset_));
    if (count <= 0) return false;
    offset_ += static_cast<std::uint64_t>(count);
    rest_.append(part, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1, ++told) {
      line(std::string_view(rest_).substr(begin, end - begin));
    }
    rest_.erase(0, begin);
    if (rest_.size() > line_bytes_max) {
      line(rest_);
      rest_.clear();
      ++told;
    }
  }
  return true;
}

}  // namespace pollux
