#include "directory_lock.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>

#include "clocks.h"
#include "text.h"

namespace pollux {
namespace {

constexpr const char* lock_name = "lock";
constexpr const char* identity_name = "identity";

struct ::flock whole_file(short type) {
  struct ::flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

LockHolder read_holder(int fd, pid_t pid) {
  LockHolder holder;
  holder.pid = pid;
  char content[512] = {};
  const ssize_t count = ::pread(fd, content, sizeof content - 1, 0);
  if (count <= 0) return holder;
  std::istringstream lines(content);
  for (std::string word, value; lines >> word >> value;) {
    if (word == "run" && !parse_id(value, &holder.run)) holder.run = {};
    if (word == "boot" && !parse_id(value, &holder.boot)) holder.boot = {};
    if (word == "started") holder.started = value;
  }
  return holder;
}

Result<void> make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(directory, error);
  if (error) return fail(code_of_errno(error.value()), cat("can't make ", directory, ": ", error.message()));
  if (made && ::chmod(directory.c_str(), 0700) != 0) return fail_errno(cat("can't protect ", directory), errno);
  return {};
}

}  // namespace

std::optional<LockHolder> lock_holder(const std::filesystem::path& directory) {
  const FileDescriptor fd(::open((directory / lock_name).c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid()) return {};
  auto asked = whole_file(F_WRLCK);
  if (::fcntl(fd.get(), F_GETLK, &asked) != 0 || asked.l_type == F_UNLCK) return {};
  return read_holder(fd.get(), asked.l_pid);
}

Result<ProcessLock> ProcessLock::take(const std::filesystem::path& directory, RunId run, BootId boot) {
  if (auto made = make_directory(directory); !made) return std::unexpected(made.error());
  return take_file(directory / lock_name, cat("the directory ", directory), run, boot);
}

Result<ProcessLock> ProcessLock::take_file(const std::filesystem::path& file, const std::string& what, RunId run,
                                               BootId boot) {
  FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) return fail_errno(cat("can't open ", file), errno);
  auto wanted = whole_file(F_WRLCK);
  if (::fcntl(fd.get(), F_SETLK, &wanted) != 0) {
    if (errno != EACCES && errno != EAGAIN) return fail_errno(cat("can't lock ", file), errno);
    auto asked = whole_file(F_WRLCK);
    const bool known = ::fcntl(fd.get(), F_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
    const LockHolder holder = read_holder(fd.get(), known ? asked.l_pid : 0);
    std::string who = known ? cat("process ", holder.pid) : std::string("another process");
    if (!holder.started.empty()) who += cat(" (running since ", holder.started, ")");
    return fail(Code::in_use, cat(what, " is in use by ", who, "; stop that process first"));
  }
  const std::string text = cat("pid ", ::getpid(), "\nrun ", to_string(run), "\nboot ", to_string(boot),
                               "\nstarted ", iso_time(read_clocks().wall), "\n");
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::pwrite(fd.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return fail_errno(cat("can't write ", file), errno);
  }
  return ProcessLock(std::move(fd));
}

Result<void> claim_directory(const std::filesystem::path& directory, const DirectoryIdentity& mine) {
  const std::string wanted = cat("pollux member directory 1\ncluster ", to_string(mine.cluster), "\npair ", mine.pair,
                                 "\nmember ", mine.member, "\n");
  const auto file = directory / identity_name;
  const auto found = read_small_file(file);
  if (!found && found.error().code != Code::not_found) return std::unexpected(found.error());
  if (!found || found->empty()) return write_durably(file, wanted);
  if (*found == wanted) return {};

  std::string cluster, pair, member;
  std::istringstream lines(*found);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with("cluster ")) cluster = line.substr(8);
    if (line.starts_with("pair ")) pair = line.substr(5);
    if (line.starts_with("member ")) member = line.substr(7);
  }
  const std::string advice = "; give this member a directory of its own";
  if (cluster.empty() || pair.empty() || member.empty()) {
    return fail(Code::damaged, cat(file, " is not a member's identity file", advice));
  }
  if (cluster != to_string(mine.cluster)) {
    return fail(Code::bad_config, cat("the directory ", directory, " belongs to another cluster (", cluster,
                                      ", this one is ", to_string(mine.cluster), ")", advice));
  }
  return fail(Code::bad_config, cat("the directory ", directory, " belongs to member ", member, " of pair ", pair,
                                    ", not to member ", mine.member, " of pair ", mine.pair, advice));
}

}  // namespace pollux
