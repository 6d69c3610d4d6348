#include "integration/loop_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "pollux/bench/child_process.h"

namespace pollux::testing {

namespace {

Result<void> run(const std::vector<std::string>& argv, const std::filesystem::path& output) {
  auto child = ChildProcess::start({.argv = argv, .environment = {}, .output = output});
  if (!child) return std::unexpected(child.error());
  const auto status = (*child)->wait(std::chrono::seconds(60));
  if (!status || !WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    return fail(Code::io_error, argv[0] + " failed, see " + output.string());
  }
  return {};
}

Error system_error(const std::string& what) { return {Code::io_error, what + ": " + std::strerror(errno)}; }

}  // namespace

Result<std::unique_ptr<LoopDisk>> LoopDisk::make(const std::filesystem::path& home, unsigned mib) {
  const auto image = home / "disk.img", path = home / "disk";
  std::filesystem::create_directories(path);
  const int fd = open(image.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(mib) << 20) != 0)
    return std::unexpected(system_error("image"));
  close(fd);
  if (auto made = run({"/sbin/mkfs.ext4", "-q", "-F", "-m", "0", image.string()}, home / "mkfs.out"); !made) {
    return std::unexpected(made.error());
  }
  if (unshare(CLONE_NEWNS) != 0) return std::unexpected(system_error("a mount namespace of our own"));
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return std::unexpected(system_error("private mounts"));
  }
  if (auto mounted = run({"/bin/mount", "-o", "loop", image.string(), path.string()}, home / "mount.out");
      !mounted) {
    return std::unexpected(mounted.error());
  }
  return std::unique_ptr<LoopDisk>(new LoopDisk(path));
}

LoopDisk::~LoopDisk() { umount2(path_.c_str(), MNT_DETACH); }

void LoopDisk::fill() {
  const int fd = open((path_ / "filler").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  std::string block(1 << 20, 'x');
  while (!block.empty()) {
    if (write(fd, block.data(), block.size()) <= 0) block.resize(block.size() / 2);  // down to the last byte
  }
  fsync(fd);
  close(fd);
}

void LoopDisk::fill_to(double percent) {
  const int fd = open((path_ / "filler").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string block(64 << 10, 'x');
  for (struct statvfs status {}; statvfs(path_.c_str(), &status) == 0;) {
    const auto used = static_cast<double>(status.f_blocks - status.f_bfree);
    if (100 * used >= percent * (used + static_cast<double>(status.f_bavail))) break;
    if (write(fd, block.data(), block.size()) <= 0) break;
    fsync(fd);
  }
  close(fd);
}

void LoopDisk::make_room() { std::filesystem::remove(path_ / "filler"); }

}  // namespace pollux::testing
