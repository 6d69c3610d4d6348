#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "disk/disk_plan.h"

namespace pollux {

namespace {

class RawFile : public DiskFile {
 public:
  RawFile(const std::filesystem::path& directory, const DiskCell& cell)
      : path_(directory / "key-file"), cell_(cell) {}
  ~RawFile() override {
    if (fd_ >= 0) close(fd_);
    unlink(path_.c_str());
  }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  Result<void> prepare(std::uint64_t records) override {
    const int flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | (cell_.sync == DiskSync::dsync ? O_DSYNC : 0);
    fd_ = open(path_.c_str(), flags & ~O_DSYNC, 0600);
    if (fd_ < 0) return failed("make");
    constexpr std::uint64_t records_at_once = 10'000;
    std::string bytes;
    for (std::uint64_t n = 0; n < records; ++n) {
      bytes += disk_record(n);
      if (n + 1 == records || bytes.size() >= records_at_once * disk_record_bytes) {
        if (::write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
          return failed("fill");
        bytes.clear();
      }
    }
    if (fsync(fd_) != 0) return failed("flush");
    close(fd_);
    fd_ = open(path_.c_str(), flags & ~(O_CREAT | O_TRUNC));
    if (fd_ < 0) return failed("open");
    return {};
  }

  Result<bool> read(std::uint64_t n) override {
    char bytes[disk_record_bytes];
    if (pread(fd_, bytes, sizeof bytes, offset(n)) != static_cast<ssize_t>(sizeof bytes))
      return failed("read");
    // Enough to see that it is the right record; to make the whole one anew would take longer than reading
    // it.
    return std::memcmp(bytes, disk_record(n).data(), 20) == 0;
  }

  Result<void> write(const std::vector<std::uint64_t>& numbers) override {
    for (const auto n : numbers) {
      const auto bytes = disk_record(n);
      if (pwrite(fd_, bytes.data(), bytes.size(), offset(n)) != static_cast<ssize_t>(bytes.size()))
        return failed("write");
    }
    if (cell_.sync == DiskSync::fdatasync && fdatasync(fd_) != 0) return failed("flush");
    return {};
  }

  Result<void> cool_down() override {
    if (fsync(fd_) != 0 || posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED) != 0)
      return failed("drop from memory");
    // Read-ahead would bring in the neighbours of what is asked for.
    posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
    return {};
  }

 private:
  static off_t offset(std::uint64_t n) { return static_cast<off_t>(n * disk_record_bytes); }
  [[nodiscard]] std::unexpected<Error> failed(const std::string& what) const {
    return fail(errno == ENOSPC ? Code::disk_full : Code::io_error,
                "can't " + what + " " + path_.string() + ": " + std::strerror(errno));
  }
  const std::filesystem::path path_;
  const DiskCell cell_;
  int fd_ = -1;
};

}  // namespace

std::string disk_record(std::uint64_t n) {
  std::string record = std::to_string(n);
  record.insert(0, 20 - record.size(), '0');
  // Not all the same: some disks compress.
  std::uint64_t mixed = n * 0x9E3779B97F4A7C15ULL + 1;
  while (record.size() < disk_record_bytes) {
    mixed ^= mixed << 13;
    mixed ^= mixed >> 7;
    mixed ^= mixed << 17;
    record.push_back(static_cast<char>('!' + mixed % 90));
  }
  return record;
}

std::unique_ptr<DiskFile> open_raw_file(const std::filesystem::path& directory, const DiskCell& cell) {
  return std::make_unique<RawFile>(directory, cell);
}

}  // namespace pollux
