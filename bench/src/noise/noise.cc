// The cells of `pollux bench noise`.
#include <time.h>

#include "host/host_files.h"
#include "host/pinned.h"
#include "noise/clock_check.h"
#include "noise/gaps.h"
#include "noise/noise_plan.h"
#include "noise/wakeup.h"
#include "run/benchmark.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t million = 1'000'000;
constexpr std::uint64_t costed_readings = 200'000, shown_readings = 1000;
constexpr milliseconds wakeup_period(1);

// One reading takes some 20 ns, and whole nanoseconds would hide a tenth of it: so a thousand are told.
Result<CellRun> run_clock(clockid_t id) {
  CellRun run;
  const auto cost = clock_cost_ns(id, costed_readings);
  const auto check = check_clock(kernel_clock(id));
  run.figures.push_back(number_figure("1000 readings", Unit::ns, Better::less,
                                      cost / static_cast<std::int64_t>(costed_readings / shown_readings)));
  run.figures.push_back(number_figure("smallest step", Unit::ns, Better::less, check.smallest_step_ns));
  run.figures.push_back(
      number_figure("backwards", Unit::count, Better::less, static_cast<std::int64_t>(check.backwards)));
  if (!check.broken.empty()) run.invalid.push_back(check.broken);
  return run;
}

CellGroup clock_group() {
  CellGroup group{.name = "noise: clocks", .cells = {}};
  for (const auto& [name, id] :
       {std::pair("monotonic", CLOCK_MONOTONIC), std::pair("boottime", CLOCK_BOOTTIME),
        std::pair("realtime", CLOCK_REALTIME)}) {
    group.cells.push_back({.bench = "noise",
                           .workload = {{"of", "clock"}, {"clock", name}},
                           .not_available = "",
                           .takes = milliseconds(20),
                           .run = [id] { return run_clock(id); }});
  }
  return group;
}

CellGroup wakeup_group(unsigned times) {
  CellGroup group{.name = "noise: wake-ups", .cells = {}};
  for (const auto by : {WakeupBy::clock_nanosleep, WakeupBy::timer_fd, WakeupBy::condition_variable}) {
    const auto run = [by, times]() -> Result<CellRun> {
      auto late =
          measure_wakeup(by, {.period = wakeup_period, .times = times, .stop = &InterruptGuard::flag()});
      if (!late) return std::unexpected(late.error());
      CellRun out;
      out.figures.push_back(times_figure("late", std::move(*late)));
      return out;
    };
    group.cells.push_back(
        {.bench = "noise",
         .workload = {{"of", "wake-up"}, {"by", std::string(to_string(by))}, {"every", "1 ms"}},
         .not_available = "",
         .takes = wakeup_period * times,
         .run = run,
         .unsteady = true});
  }
  return group;
}

std::int64_t lost_ppm(const Gaps& gaps) {
  return gaps.elapsed_ns == 0 ? 0 : gaps.lost_ns * static_cast<std::int64_t>(million) / gaps.elapsed_ns;
}

Result<CellRun> run_gaps(const std::vector<int>& cpus, milliseconds busy) {
  const HostFiles files;
  const auto before = ticks_of(files.text("/proc/stat"), cpus);
  const auto gaps = measure_gaps({.cpus = cpus, .duration = busy, .stop = &InterruptGuard::flag()});
  if (!gaps) return std::unexpected(gaps.error());
  const auto after = ticks_of(files.text("/proc/stat"), cpus);
  const auto ticks = after.all - before.all;
  CellRun run;
  const auto count = [&run](const char* name, std::uint64_t value) {
    run.figures.push_back(number_figure(name, Unit::count, Better::less, static_cast<std::int64_t>(value)));
  };
  run.figures.push_back(number_figure("longest gap", Unit::ns, Better::less, gaps->longest_ns));
  count("> 10 us", gaps->above_small);
  count("> 100 us", gaps->above_middle);
  count("> 1 ms", gaps->above_large);
  run.figures.push_back(number_figure("lost", Unit::ppm, Better::less, lost_ppm(*gaps)));
  run.figures.push_back(number_figure(
      "steal", Unit::ppm, Better::less,
      ticks == 0 ? 0 : static_cast<std::int64_t>((after.stolen - before.stolen) * million / ticks)));
  return run;
}

CellGroup gap_group(const NoiseOptions& options) {
  CellGroup group{.name = "noise: busy loops", .cells = {}};
  const auto cpus = usable_cpus();
  const auto add = [&](const std::string& name, const std::vector<int>& on) {
    group.cells.push_back({.bench = "noise",
                           .workload = {{"of", "busy loop"},
                                        {"cpu", name},
                                        {"for", std::to_string(options.busy.count()) + " ms"}},
                           .not_available = "",
                           .takes = options.busy,
                           .run = [on, busy = options.busy] { return run_gaps(on, busy); },
                           .unsteady = true});
  };
  for (std::size_t i = 0; i < cpus.size() && i < options.cpus_max; ++i)
    add(std::to_string(cpus[i]), {cpus[i]});
  // A hypervisor that has promised more CPUs than it has shows only when all of them are wanted.
  if (cpus.size() > 1) add("all at once", cpus);
  return group;
}

}  // namespace

Result<std::vector<CellGroup>> plan_noise(const BenchCommon& common, const NoiseOptions& asked,
                                          const std::filesystem::path&) {
  auto options = asked;
  if (common.quick) {
    options.busy /= 2;
    options.cpus_max = std::min(options.cpus_max, 2u);
  }
  return std::vector<CellGroup>{clock_group(), wakeup_group(options.wakeups), gap_group(options)};
}

int bench_noise(const BenchCommon& common, const NoiseOptions& options) {
  return run_benchmark(common, "noise",
                       [&](const std::filesystem::path& home) { return plan_noise(common, options, home); });
}

void make_quick(NoiseOptions& options) {
  options.busy = std::min(options.busy, std::chrono::milliseconds(300));
  options.wakeups = std::min(options.wakeups, 200U);
}

}  // namespace pollux
