#include "pocket/held_group.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

namespace pollux {

namespace fs = std::filesystem;

namespace {

constexpr unsigned period_us = 20'000, quota_us_min = 1'000;
constexpr int removal_tries = 100;
constexpr std::chrono::milliseconds removal_pause(20);

Result<void> write_to(const fs::path& file, const std::string& text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (fd >= 0) close(fd);
  if (written) return {};
  return fail(Code::unsupported, "can't write to " + file.string() + ": " + std::strerror(error));
}

Result<void> make_directory(const fs::path& path) {
  std::error_code error;
  fs::create_directory(path, error);
  if (!error) return {};
  return fail(Code::unsupported, "can't make the cgroup " + path.string() + ": " + error.message() +
                                     (geteuid() == 0 ? "" : "; it takes root"));
}

// The line of `name` in a file of "name value" lines, or the file's only number if `name` is empty.
std::uint64_t value_in(const fs::path& file, const std::string& name) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  if (name.empty()) {
    in >> value;
    return in ? value : 0;
  }
  for (std::string word; in >> word >> value;) {
    if (word == name) return value;
  }
  return 0;
}

void remove_group(const fs::path& path) {
  // The kernel needs a moment after the last process has ended.
  for (int i = 0; i < removal_tries && rmdir(path.c_str()) != 0 && errno == EBUSY; ++i) {
    std::this_thread::sleep_for(removal_pause);
  }
}

}  // namespace

Result<std::unique_ptr<HeldGroup>> HeldGroup::make(const std::string& name, std::uint64_t memory_bytes,
                                                   const fs::path& root) {
  const auto limit = std::to_string(memory_bytes);
  if (fs::exists(root / "cgroup.controllers")) {
    std::ifstream in(root / "cgroup.controllers");
    std::string controllers((std::istreambuf_iterator<char>(in)), {});
    if (controllers.find("memory") == std::string::npos || controllers.find("cpu") == std::string::npos) {
      return fail(Code::unsupported,
                  "the cgroups of this host (version 2) control neither memory nor CPU here");
    }
    if (auto enabled = write_to(root / "cgroup.subtree_control", "+memory +cpu"); !enabled)
      return std::unexpected(enabled.error());
    if (auto made = make_directory(root / name); !made) return std::unexpected(made.error());
    std::unique_ptr<HeldGroup> group(new HeldGroup(2, root / name, root / name));
    if (auto held = write_to(group->memory_ / "memory.max", limit); !held)
      return std::unexpected(held.error());
    write_to(group->memory_ / "memory.swap.max", "0");
    return group;
  }
  const auto cpu = fs::exists(root / "cpu") ? root / "cpu" : root / "cpu,cpuacct";
  if (!fs::exists(root / "memory") || !fs::exists(cpu)) {
    return fail(Code::unsupported, "no cgroups that control memory and CPU are mounted at " + root.string());
  }
  if (auto made = make_directory(root / "memory" / name); !made) return std::unexpected(made.error());
  if (auto made = make_directory(cpu / name); !made) {
    rmdir((root / "memory" / name).c_str());
    return std::unexpected(made.error());
  }
  std::unique_ptr<HeldGroup> group(new HeldGroup(1, root / "memory" / name, cpu / name));
  if (auto held = write_to(group->memory_ / "memory.limit_in_bytes", limit); !held)
    return std::unexpected(held.error());
  return group;
}

HeldGroup::~HeldGroup() {
  remove_group(memory_);
  if (cpu_ != memory_) remove_group(cpu_);
}

std::vector<fs::path> HeldGroup::doors() const {
  if (cpu_ == memory_) return {memory_ / "cgroup.procs"};
  return {memory_ / "cgroup.procs", cpu_ / "cgroup.procs"};
}

Result<void> HeldGroup::hold_cpu(std::optional<unsigned> percent) {
  const auto quota = percent ? std::max(quota_us_min, *percent * period_us / 100) : 0U;
  // A quota below the kernel's smallest takes a longer period.
  const auto period = percent && *percent * period_us / 100 < quota_us_min
                          ? quota_us_min * 100 / std::max(1U, *percent)
                          : period_us;
  if (version_ == 2) {
    return write_to(cpu_ / "cpu.max",
                    (percent ? std::to_string(quota) : "max") + " " + std::to_string(period));
  }
  if (auto set = write_to(cpu_ / "cpu.cfs_period_us", std::to_string(period)); !set) return set;
  return write_to(cpu_ / "cpu.cfs_quota_us", percent ? std::to_string(quota) : "-1");
}

std::uint64_t HeldGroup::memory_peak_bytes() const {
  return value_in(memory_ / (version_ == 2 ? "memory.peak" : "memory.max_usage_in_bytes"), "");
}

std::uint64_t HeldGroup::oom_kills() const {
  return value_in(memory_ / (version_ == 2 ? "memory.events" : "memory.oom_control"), "oom_kill");
}

std::uint64_t HeldGroup::throttled_us() const {
  if (version_ == 2) return value_in(cpu_ / "cpu.stat", "throttled_usec");
  return value_in(cpu_ / "cpu.stat", "throttled_time") / 1000;
}

}  // namespace pollux
