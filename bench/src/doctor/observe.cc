#include <sys/resource.h>

#include <algorithm>

#include "doctor/observed.h"
#include "host/counters.h"
#include "host/host_files.h"
#include "host/pinned.h"
#include "noise/wakeup.h"
#include "pollux/bench/child_process.h"
#include "pollux/bench/disk_floor.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds wakeup_period(1);
constexpr std::uint64_t cost_readings = 100'000, shown_readings = 1000;

Result<void> look_at_disk(const DoctorOptions& options, milliseconds part, Observed& seen) {
  const auto home = TemporaryDirectory::make(options.directory, "pollux-doctor-");
  if (!home) return std::unexpected(home.error());
  const auto type = file_system_of((*home)->path());
  if (!type) return std::unexpected(type.error());
  seen.file_system = type->name;
  seen.volatile_memory = type->volatile_memory;
  seen.disk_device = disk_device_of((*home)->path());
  const auto before = read_host_counters(seen.disk_device);
  auto flushes = measure_disk_floor(
      {.directory = (*home)->path(), .duration = part, .warm_up = 0, .stop = &InterruptGuard::flag()});
  if (!flushes) return std::unexpected(flushes.error());
  seen.flushes_counted = difference(before, read_host_counters(seen.disk_device)).flushes;
  seen.flushes = std::move(*flushes);
  seen.flushes_asked = seen.flushes.count();
  return {};
}

Result<void> look_at_time(milliseconds part, Observed& seen) {
  seen.clock = check_clock(kernel_clock(CLOCK_BOOTTIME));
  seen.clock_cost_ns = clock_cost_ns(CLOCK_BOOTTIME, cost_readings) /
                       static_cast<std::int64_t>(cost_readings / shown_readings);
  for (const auto by : {WakeupBy::clock_nanosleep, WakeupBy::timer_fd, WakeupBy::condition_variable}) {
    auto late = measure_wakeup(by, {.period = wakeup_period,
                                    .times = static_cast<std::uint64_t>(part / wakeup_period),
                                    .stop = &InterruptGuard::flag()});
    if (!late) return std::unexpected(late.error());
    seen.late.merge(*late);
  }
  const auto cpus = usable_cpus();
  seen.cpus = static_cast<unsigned>(cpus.size());
  const auto gaps = measure_gaps({.cpus = cpus, .duration = part, .stop = &InterruptGuard::flag()});
  if (!gaps) return std::unexpected(gaps.error());
  seen.gaps = *gaps;
  return {};
}

}  // namespace

std::int64_t Observed::longest_pause_ns() const { return std::max(late.largest_ns(), gaps.longest_ns); }

Result<Observed> observe(const DoctorOptions& options) {
  constexpr int parts = 5;  // three kinds of wake-ups, busy loops, flushes
  const auto part = std::max(options.look / parts, milliseconds(10));
  Observed seen;
  seen.directory = options.directory;
  const auto before = read_host_counters();
  if (auto looked = look_at_time(part, seen); !looked) return std::unexpected(looked.error());
  if (auto looked = look_at_disk(options, part, seen); !looked) return std::unexpected(looked.error());
  seen.steal_ppm = difference(before, read_host_counters()).steal_ppm();
  if (InterruptGuard::interrupted())
    return fail(Code::stopping, "interrupted before there was enough to judge by");
  seen.facts = profile_host({.directory = options.directory, .declared = ""}).facts;
  seen.limits = read_cgroup_limits(HostFiles());
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max != RLIM_INFINITY)
    seen.open_files_max = files.rlim_max;
  return seen;
}

}  // namespace pollux
