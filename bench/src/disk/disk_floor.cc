#include "pollux/bench/disk_floor.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pollux {

namespace {
Error error_at(const std::string& what, const std::filesystem::path& path) {
  return {errno == ENOSPC ? Code::disk_full : Code::io_error,
          what + " " + path.string() + ": " + std::strerror(errno)};
}
constexpr long xfs_magic = 0x58465342;  // linux/magic.h does not name it
}  // namespace

Result<Histogram> measure_disk_floor(const DiskFloorOptions& options) {
  const auto path = options.directory / "floor";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return std::unexpected(error_at("can't make", path));
  const std::string record(options.bytes, 'x');
  Histogram times;
  Result<Histogram> result = fail(Code::ok, "");
  const auto started = monotonic_ns();
  for (std::size_t i = 0;; ++i) {
    const auto before = monotonic_ns();
    if (write(fd, record.data(), record.size()) != static_cast<ssize_t>(record.size()) ||
        fdatasync(fd) != 0) {
      result = std::unexpected(error_at("can't write to", path));
      break;
    }
    const auto after = monotonic_ns();
    if (i >= options.warm_up) times.record_ns(after - before);
    if (after - started >= options.duration.count() || (options.stop != nullptr && *options.stop)) {
      result = std::move(times);
      break;
    }
  }
  close(fd);
  unlink(path.c_str());
  return result;
}

Result<FileSystem> file_system_of(const std::filesystem::path& directory) {
  struct statfs about{};
  if (statfs(directory.c_str(), &about) != 0) return std::unexpected(error_at("can't look at", directory));
  switch (static_cast<long>(about.f_type)) {
    case TMPFS_MAGIC:
      return FileSystem{"tmpfs", true};
    case RAMFS_MAGIC:
      return FileSystem{"ramfs", true};
    case EXT4_SUPER_MAGIC:
      return FileSystem{"ext4", false};
    case BTRFS_SUPER_MAGIC:
      return FileSystem{"btrfs", false};
    case OVERLAYFS_SUPER_MAGIC:
      return FileSystem{"overlay", false};
    case NFS_SUPER_MAGIC:
      return FileSystem{"nfs", false};
    case xfs_magic:
      return FileSystem{"xfs", false};
    default: {
      char number[32];
      std::snprintf(number, sizeof number, "type 0x%lx", static_cast<long>(about.f_type));
      return FileSystem{number, false};
    }
  }
}

}  // namespace pollux
