#include "child_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "text.h"

namespace pollux {

namespace {

constexpr std::size_t line_bytes_max = 16u << 10;  // a longer one is shown in parts
/// What is cut out of a file must be whole blocks; this is a multiple of every file system's.
constexpr std::uint64_t cut_bytes = 4096;

std::uint64_t size_of(const std::filesystem::path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

/// The first `bytes`, or all there are. False if the copy could not be written.
bool copy_beginning(const FileDescriptor& from, const std::filesystem::path& to, std::uint64_t bytes) {
  const FileDescriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!out.valid()) return false;
  std::string part(64u << 10, '\0');
  for (std::uint64_t done = 0; done < bytes;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), bytes - done));
    const ssize_t count = ::pread(from.get(), part.data(), wanted, static_cast<off_t>(done));
    if (count == 0) return true;
    if (count < 0 || ::write(out.get(), part.data(), static_cast<std::size_t>(count)) != count) return false;
    done += static_cast<std::uint64_t>(count);
  }
  return true;
}

}  // namespace

Result<FileDescriptor> ChildLog::open_for_child() const {
  FileDescriptor fd(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return fail_errno(cat("can't open the log file ", file_), errno);
  return fd;
}

std::uint64_t ChildLog::removable(std::uint64_t size) const {
  const std::uint64_t done_with = followed_ ? std::min(offset_, size - 1) : size - 1;  // never the whole file
  return done_with / cut_bytes * cut_bytes;
}

void ChildLog::rotate() {
  const std::uint64_t size = size_of(file_);
  if (size <= bytes_max_) return;
  const std::uint64_t old = removable(size);
  if (old == 0) return;
  const std::filesystem::path former = cat(file_, ".1");
  const FileDescriptor log(::open(file_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!log.valid()) return;
  // A full disk must not keep the log from shrinking: then its content is lost, and that is better.
  std::error_code ignored;
  if (!copy_beginning(log, former, old)) std::filesystem::remove(former, ignored);
  if (::fallocate(log.get(), FALLOC_FL_COLLAPSE_RANGE, 0, static_cast<off_t>(old)) == 0) {
    offset_ -= std::min(offset_, old);
    return;
  }
  if (!copy_beginning(log, former, std::numeric_limits<std::uint64_t>::max())) {
    std::filesystem::remove(former, ignored);
  }
  if (::ftruncate(log.get(), 0) == 0) offset_ = 0;
}

void ChildLog::follow_from_end() {
  offset_ = size_of(file_);
  followed_ = true;
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
