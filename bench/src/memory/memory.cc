// The cells of `pollux bench memory`.
#include <algorithm>
#include <memory>

#include "host/counters.h"
#include "host/cpu_threads.h"
#include "host/pinned.h"
#include "memory/arrays.h"
#include "memory/loops.h"
#include "memory/memory_plan.h"
#include "pollux/bench/histogram.h"
#include "run/benchmark.h"
#include "run/format.h"
#include "run/interrupt.h"
#include "run/wide.h"

namespace pollux {

namespace {

using std::chrono::milliseconds;

constexpr MemoryLoop all_loops[] = {MemoryLoop::copy, MemoryLoop::scale, MemoryLoop::add, MemoryLoop::triad};

// What the cells of one group share.
struct Team {
  std::vector<int> cpus;
  ArraySize size;
  milliseconds least{};
  std::unique_ptr<MemoryBlock> block;
  std::vector<std::int64_t> rates;  // of this round, bytes a second; the average is theirs
  HostCounters round_began;
};

constexpr std::size_t page_elements = 512;

// So that a loop that was left out would be found.
template <class Number>
void spoil(const MemoryArrays<Number>& arrays) {
  for (std::size_t i = 0; i < arrays.size; i += page_elements) arrays.to[i] = 0;
}

template <class Number>
bool is_right(MemoryLoop loop, const MemoryArrays<Number>& arrays) {
  for (std::size_t i = 0; i < arrays.size; ++i) {
    if (arrays.to[i] != value_after<Number>(loop, i)) return false;
  }
  return true;
}

struct SliceRun {
  std::uint64_t passes = 0;
  std::int64_t took_ns = 0;
  bool right = false;
};

template <class Number>
SliceRun run_slice(MemoryLoop loop, const MemoryArrays<Number>& arrays, milliseconds least) {
  SliceRun run;
  spoil(arrays);
  const auto begin = monotonic_ns();
  do {
    run_loop(loop, arrays);
    ++run.passes;
    run.took_ns = monotonic_ns() - begin;
  } while (run.took_ns < std::chrono::nanoseconds(least).count() && !InterruptGuard::interrupted());
  run.right = is_right(loop, arrays);
  return run;
}

void say_size(const Team& team, CellRun& run) {
  run.found.emplace_back("array", size_text(team.size.bytes));
  if (!team.size.capped.empty()) run.found.emplace_back("array capped", team.size.capped);
}

template <class Number>
Result<CellRun> run_cell(Team& team, MemoryLoop loop) {
  if (team.rates.empty()) team.round_began = read_host_counters();
  std::vector<SliceRun> runs(team.cpus.size());
  auto ran = run_on_cpus(team.cpus, [&](std::size_t i) {
    runs[i] = run_slice<Number>(loop, team.block->slice<Number>(i), team.least);
  });
  if (!ran) return std::unexpected(ran.error());
  CellRun run;
  std::int64_t rate = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Wide bytes =
        static_cast<Wide>(runs[i].passes) * team.block->slice<Number>(i).size * bytes_of_element(loop);
    constexpr Wide second_ns = 1'000'000'000;
    rate += static_cast<std::int64_t>(bytes * second_ns /
                                      static_cast<Wide>(std::max<std::int64_t>(1, runs[i].took_ns)));
    if (!runs[i].right)
      run.wrong = {"the arrays do not hold what they must: this memory or this CPU is broken"};
  }
  team.rates.push_back(rate);
  run.figures.push_back(number_figure("throughput", Unit::bytes_per_second, Better::more, rate));
  say_size(team, run);
  return run;
}

Result<CellRun> run_average(Team& team) {
  std::int64_t sum = 0;
  for (const auto rate : team.rates) sum += rate / static_cast<std::int64_t>(std::size(all_loops));
  const bool whole = team.rates.size() == std::size(all_loops);
  team.rates.clear();
  if (!whole) return fail(Code::aborted, "not all four loops were measured, so there is no average of them");
  CellRun run;
  run.counters = difference(team.round_began, read_host_counters());  // what disturbed a loop disturbed this
  run.figures.push_back(number_figure("throughput", Unit::bytes_per_second, Better::more, sum));
  say_size(team, run);
  return run;
}

template <class Number>
CellGroup group_of(const char* numbers, const std::shared_ptr<Team>& team) {
  const auto threads = std::to_string(team->cpus.size());
  CellGroup group{.name = std::string("memory: ") + numbers + ", " + threads + " threads", .cells = {}};
  const auto add = [&](const std::string& loop, milliseconds takes, std::function<Result<CellRun>()> run) {
    group.cells.push_back({.bench = "memory",
                           .workload = {{"numbers", numbers}, {"threads", threads}, {"loop", loop}},
                           .not_available = "",
                           .takes = takes,
                           .run = std::move(run)});
  };
  for (const auto loop : all_loops) {
    add(std::string(to_string(loop)), 2 * team->least,
        [team, loop] { return run_cell<Number>(*team, loop); });
  }
  add("average", milliseconds(0), [team] { return run_average(*team); });
  group.open_takes = milliseconds(500);
  group.open = [team]() -> Result<void> {
    auto block = MemoryBlock::make(team->size.bytes, team->cpus);
    if (!block) return std::unexpected(block.error());
    team->block = std::move(*block);
    team->rates.clear();
    return team->block->fill<Number>();
  };
  group.close = [team]() -> std::vector<std::string> {
    team->block.reset();
    return {};
  };
  return group;
}

}  // namespace

Result<std::vector<CellGroup>> plan_memory(const BenchCommon& common, const MemoryOptions& options,
                                           const std::filesystem::path&) {
  auto input = array_size_input();
  input.asked_bytes = options.array_bytes;
  constexpr std::uint64_t quick_bytes = 64u << 20;
  constexpr milliseconds quick_least(100);
  if (common.quick && input.asked_bytes == 0) input.asked_bytes = quick_bytes;
  const auto size = choose_array_size(input);
  const auto all = usable_cpus();
  std::vector<std::vector<int>> teams = {{all.front()}};
  if (all.size() > 1) teams.push_back(all);
  std::vector<CellGroup> groups;
  for (const auto& cpus : teams) {
    const auto team = [&] {
      return std::make_shared<Team>(
          Team{.cpus = cpus,
               .size = size,
               .least = common.quick ? std::min(options.least, quick_least) : options.least,
               .block = nullptr,
               .rates = {}});
    };
    groups.push_back(group_of<std::uint64_t>("integer", team()));
    groups.push_back(group_of<double>("float", team()));
  }
  return groups;
}

void find_memory_caps(const std::vector<Cell>& cells, std::vector<Finding>& findings) {
  for (const auto& cell : cells) {
    const auto capped = fact(cell.found, "array capped");
    if (cell.bench != "memory" || capped.empty()) continue;
    findings.push_back({.bench = "memory",
                        .kind = "limit",
                        .text = "each array is " + std::string(capped) +
                                ": a part of it may come from the cache, and the figures may be too high"});
    return;
  }
}

int bench_memory(const BenchCommon& common, const MemoryOptions& options) {
  return run_benchmark(
      common, "memory", [&](const std::filesystem::path& home) { return plan_memory(common, options, home); },
      find_memory_caps);
}

void make_quick(MemoryOptions& options) {
  constexpr std::uint64_t array_bytes = 64u << 20;
  if (options.array_bytes == 0) options.array_bytes = array_bytes;
  options.least = std::min(options.least, std::chrono::milliseconds(100));
}

}  // namespace pollux
