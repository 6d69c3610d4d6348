#include "failing_disk.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace pollux::testing {
namespace {

std::atomic<std::size_t> calls_left{0};  // 0: nothing fails
std::atomic<bool> has_failed{false};
std::atomic<int> failure{0};
std::atomic<std::uint64_t> flush_count{0};

bool disk_call_fails() {
  if (calls_left == 0) return false;
  if (calls_left > 1) {
    --calls_left;
    return false;
  }
  has_failed = true;
  errno = failure;
  return true;
}

}  // namespace

FailingDisk::FailingDisk(std::size_t nth, int error) {
  has_failed = false;
  failure = error;
  calls_left = nth;
}
FailingDisk::~FailingDisk() { calls_left = 0; }
bool FailingDisk::failed() const { return has_failed; }

std::uint64_t flushes() { return flush_count; }

}  // namespace pollux::testing

using pollux::testing::disk_call_fails;
using pollux::testing::flush_count;

extern "C" {
int fdatasync(int fd) {
  ++flush_count;
  if (disk_call_fails()) return -1;
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}
int fsync(int fd) {
  ++flush_count;
  if (disk_call_fails()) return -1;
  return static_cast<int>(::syscall(SYS_fsync, fd));
}
ssize_t pwrite(int fd, const void* bytes, size_t count, off_t at) {
  if (disk_call_fails()) return -1;
  return ::syscall(SYS_pwrite64, fd, bytes, count, at);
}
ssize_t writev(int fd, const iovec* parts, int count) {
  if (fd > 2 && disk_call_fails()) return -1;
  return ::syscall(SYS_writev, fd, parts, count);
}
ssize_t write(int fd, const void* bytes, size_t count) {
  if (fd > 2 && disk_call_fails()) return -1;
  return ::syscall(SYS_write, fd, bytes, count);
}
}
