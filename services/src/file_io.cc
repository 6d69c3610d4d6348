#include "file_io.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "text.h"

namespace pollux {
namespace {

Result<void> write_all(int fd, std::string_view content, const std::filesystem::path& file) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_errno(cat("can't write ", file), errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<void> sync_names_in(const std::filesystem::path& directory) {
  const FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(cat("can't open ", directory), errno);
  if (::fsync(fd.get()) != 0) return fail_errno(cat("can't sync ", directory), errno);
  return {};
}

Result<void> write_durably(const std::filesystem::path& file, std::string_view content) {
  std::filesystem::path prepared = file;
  prepared += ".new";
  {
    const FileDescriptor fd(::open(prepared.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!fd.valid()) return fail_errno(cat("can't create ", prepared), errno);
    if (auto written = write_all(fd.get(), content, prepared); !written) return written;
    if (::fsync(fd.get()) != 0) return fail_errno(cat("can't sync ", prepared), errno);
  }
  if (::rename(prepared.c_str(), file.c_str()) != 0) return fail_errno(cat("can't replace ", file), errno);
  return sync_names_in(file.parent_path());
}

Result<std::string> read_small_file(const std::filesystem::path& file, std::size_t bytes_max) {
  const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(cat("can't open ", file), errno);
  std::string content;
  char part[4096];
  for (;;) {
    const ssize_t count = ::read(fd.get(), part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(cat("can't read ", file), errno);
    if (count == 0) return content;
    content.append(part, static_cast<std::size_t>(count));
    if (content.size() > bytes_max) return fail(Code::damaged, cat(file, " is larger than it can be"));
  }
}

}  // namespace pollux
