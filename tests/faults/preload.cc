// A preloaded library that makes the disk fail, for tests: LD_PRELOAD=libpollux_faults.so pollux node ...
//
// It stands before libc's writing and flushing calls. At each of them it reads a small control file, named by
// POLLUX_FAULTS_CONTROL, so that a test can switch faults on and off while the program runs:
//
//     <operation> <fault> <directory>
//
// one rule a line; the first that fits counts. <operation> is `flush` (fsync, fdatasync, msync,
// sync_file_range, and writes to a file opened O_SYNC or O_DSYNC, which are flushes too), `write` (write,
// writev, pwrite, pwritev, fallocate) or `any`. <fault> is EIO, ENOSPC, or `hang`: the call does not return
// until the rule is gone. <directory> chooses the member: the rule holds for files below it. The directory is
// absolute, without symbolic links. No control file, or an empty one: nothing happens.
//
// Built without sanitizers and without the C++ library, so that it can be loaded into any build. While no
// rule is set it uses no memory of the heap: a program may call these functions from anywhere.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr int control_bytes_max = 4096;
enum class Operation { flush, write };

// Reads the control file with plain system calls: these must not come back here.
bool read_control(char (&text)[control_bytes_max]) {
  const char* path = getenv("POLLUX_FAULTS_CONTROL");
  if (path == nullptr) return false;
  const long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const long count = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  text[count > 0 ? count : 0] = 0;
  return count > 0;
}

bool below(const char* path, const char* directory) {
  const size_t length = strlen(directory);
  return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

bool flushes_itself(int fd) {
  const long flags = syscall(SYS_fcntl, fd, F_GETFL);
  return flags >= 0 && (flags & O_DSYNC) != 0;  // O_SYNC includes O_DSYNC's bit
}

// What the first fitting rule says: 0 for nothing, an errno, or -1 to hang.
int fault_for(Operation operation, int fd) {
  struct stat about;
  if (fstat(fd, &about) != 0 || !(S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)))
    return 0;  // e.g. a socket
  char control[control_bytes_max];
  if (!read_control(control)) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  char* rest = nullptr;
  for (char* line = strtok_r(control, "\n", &rest); line != nullptr; line = strtok_r(nullptr, "\n", &rest)) {
    char what[16], fault[16], directory[2048];
    if (sscanf(line, "%15s %15s %2047s", what, fault, directory) != 3) continue;
    const bool any = strcmp(what, "any") == 0;
    const bool flush = strcmp(what, "flush") == 0 && (operation == Operation::flush || flushes_itself(fd));
    const bool write = strcmp(what, "write") == 0 && operation == Operation::write;
    if (!(any || flush || write) || !below(path, directory)) continue;
    if (strcmp(fault, "EIO") == 0) return EIO;
    if (strcmp(fault, "ENOSPC") == 0) return ENOSPC;
    if (strcmp(fault, "hang") == 0) return -1;
  }
  return 0;
}

// Returns true if the call is to fail; errno is set.
bool fails(Operation operation, int fd) {
  const int saved = errno;
  int fault = fault_for(operation, fd);
  while (fault == -1) {
    timespec nap{0, 5'000'000};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, nullptr);
    fault = fault_for(operation, fd);
  }
  errno = fault > 0 ? fault : saved;
  return fault > 0;
}

template <class Function>
Function next(Function, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// Each looks up the next function of its name (libc's, or a sanitizer's wrapper around it) once.
#define POLLUX_NEXT(name) static const auto real = next(&name, #name)

extern "C" {

int fsync(int fd) {
  POLLUX_NEXT(fsync);
  return fails(Operation::flush, fd) ? -1 : real(fd);
}
int fdatasync(int fd) {
  POLLUX_NEXT(fdatasync);
  return fails(Operation::flush, fd) ? -1 : real(fd);
}
int sync_file_range(int fd, off64_t offset, off64_t count, unsigned flags) {
  POLLUX_NEXT(sync_file_range);
  return fails(Operation::flush, fd) ? -1 : real(fd, offset, count, flags);
}

ssize_t write(int fd, const void* bytes, size_t count) {
  POLLUX_NEXT(write);
  return fails(Operation::write, fd) ? -1 : real(fd, bytes, count);
}
ssize_t writev(int fd, const iovec* parts, int count) {
  POLLUX_NEXT(writev);
  return fails(Operation::write, fd) ? -1 : real(fd, parts, count);
}
ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
  POLLUX_NEXT(pwrite);
  return fails(Operation::write, fd) ? -1 : real(fd, bytes, count, offset);
}
ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t offset) {
  POLLUX_NEXT(pwrite64);
  return fails(Operation::write, fd) ? -1 : real(fd, bytes, count, offset);
}
ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  POLLUX_NEXT(pwritev);
  return fails(Operation::write, fd) ? -1 : real(fd, parts, count, offset);
}
ssize_t pwritev64(int fd, const iovec* parts, int count, off64_t offset) {
  POLLUX_NEXT(pwritev64);
  return fails(Operation::write, fd) ? -1 : real(fd, parts, count, offset);
}
ssize_t pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  POLLUX_NEXT(pwritev2);
  return fails(Operation::write, fd) ? -1 : real(fd, parts, count, offset, flags);
}

int fallocate(int fd, int mode, off_t offset, off_t length) {
  POLLUX_NEXT(fallocate);
  return fails(Operation::write, fd) ? -1 : real(fd, mode, offset, length);
}
int fallocate64(int fd, int mode, off64_t offset, off64_t length) {
  POLLUX_NEXT(fallocate64);
  return fails(Operation::write, fd) ? -1 : real(fd, mode, offset, length);
}
int posix_fallocate(int fd, off_t offset, off_t length) {  // returns the error, does not set errno
  POLLUX_NEXT(posix_fallocate);
  return fails(Operation::write, fd) ? errno : real(fd, offset, length);
}
int posix_fallocate64(int fd, off64_t offset, off64_t length) {
  POLLUX_NEXT(posix_fallocate64);
  return fails(Operation::write, fd) ? errno : real(fd, offset, length);
}

// A map has no descriptor: its file is the one /proc/self/maps names, which is too dear to look up while
// nothing is to fail.
int msync(void* address, size_t length, int flags) {
  POLLUX_NEXT(msync);
  char control[control_bytes_max];
  if (!read_control(control)) return real(address, length, flags);
  char line[4352], path[4096];
  FILE* maps = fopen("/proc/self/maps", "re");
  if (maps == nullptr) return real(address, length, flags);
  int fd = -1;
  while (fgets(line, sizeof line, maps) != nullptr) {
    unsigned long from = 0, to = 0;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %4095[^\n]", &from, &to, path) != 3) continue;
    const auto at = reinterpret_cast<uintptr_t>(address);
    if (at >= from && at < to && path[0] == '/') {
      fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC));
      break;
    }
  }
  fclose(maps);
  if (fd < 0) return real(address, length, flags);
  const bool failed = fails(Operation::flush, fd);
  const int saved = errno;
  syscall(SYS_close, fd);
  errno = saved;
  return failed ? -1 : real(address, length, flags);
}

}  // extern "C"
