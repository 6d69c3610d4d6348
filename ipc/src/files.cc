#include "files.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "pollux/core/check.h"
#include "pollux/core/types.h"

namespace pollux {

void UniqueFd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string errno_text(int error) { return std::generic_category().message(error); }

Code errno_code(int error) { return error == ENOSPC || error == EDQUOT ? Code::disk_full : Code::io_error; }

int read_file(const std::filesystem::path& path, std::size_t bytes_max, std::string* content) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return errno;
  content->clear();
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return 0;
    if (content->size() + static_cast<std::size_t>(count) > bytes_max) return EFBIG;
    content->append(buffer.data(), static_cast<std::size_t>(count));
  }
}

int write_all(int fd, std::string_view bytes, off_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += count;
  }
  return 0;
}

void fill_random(void* to, std::size_t count) {
  auto* bytes = static_cast<std::uint8_t*>(to);
  while (count > 0) {
    const ssize_t got = ::getrandom(bytes, count, 0);
    if (got < 0 && errno == EINTR) continue;
    POLLUX_CHECK_WHY(got > 0, "the kernel gives no random bytes");
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
}

std::string random_hex() {
  std::array<std::uint8_t, 16> bytes{};
  fill_random(bytes.data(), bytes.size());
  return to_hex(bytes.data(), bytes.size());
}

}  // namespace pollux
