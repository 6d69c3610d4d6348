// Does one disk operation on one file again and again, for faults_test: reads a line from stdin, does it,
// writes `ok` or the error's name. Stands for a member.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int fd = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const int fd_synced = open(argv[1], O_RDWR | O_DSYNC | O_CLOEXEC);
  if (fd < 0 || fd_synced < 0 || ftruncate(fd, 4096) != 0) return 3;
  void* map = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return 3;
  char line[64];
  while (fgets(line, sizeof line, stdin) != nullptr) {
    line[strcspn(line, "\n")] = 0;
    char byte = 'x';
    iovec part{&byte, 1};
    bool ok = false;
    if (strcmp(line, "fsync") == 0) ok = fsync(fd) == 0;
    if (strcmp(line, "fdatasync") == 0) ok = fdatasync(fd) == 0;
    if (strcmp(line, "msync") == 0) ok = msync(map, 4096, MS_SYNC) == 0;
    if (strcmp(line, "write") == 0) ok = write(fd, &byte, 1) == 1;
    if (strcmp(line, "pwrite") == 0) ok = pwrite(fd, &byte, 1, 0) == 1;
    if (strcmp(line, "pwritev") == 0) ok = pwritev(fd, &part, 1, 0) == 1;
    if (strcmp(line, "pwrite-synced") == 0) ok = pwrite(fd_synced, &byte, 1, 0) == 1;
    puts(ok ? "ok" : strerrorname_np(errno));
    fflush(stdout);
  }
  return 0;
}
