#include "pollux/bench/selftest.h"

#include <csignal>
#include <cstdio>
#include <functional>

#include "disk/disk_plan.h"
#include "ipc/ipc_plan.h"
#include "noise/clock_check.h"
#include "pollux/bench/disk_floor.h"
#include "run/format.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

constexpr std::uint64_t messages = 5'000;
constexpr std::int64_t delay_ns = 2'000'000, freeze_ns = 500'000'000;
constexpr std::uint64_t delay_one_in = 100;

struct Seen {
  bool found = false;
  std::string text;  ///< what was seen
};

// A cell of `bench ipc` whose far end has these faults.
Result<Cell> measure_with(const BenchCommon& common, const std::filesystem::path& directory,
                          const EchoFaults& faults, std::uint64_t rate, Progress& progress) {
  BenchIpcOptions options;
  options.transports = {"unix-socket"};
  options.bytes = {64};
  options.places = {"free"};
  options.messages = messages;
  options.rate = rate;
  options.limit = std::chrono::seconds(20);
  const auto cells = run_plan(plan_ipc(std::make_shared<IpcBench>(common, options, directory, faults)),
                              {.runs = 1}, progress);
  const auto& cell = cells.front();
  if (cell.figures.empty())
    return fail(Code::io_error, cell.reasons.empty() ? "nothing was measured" : cell.reasons.front());
  return cell;
}

// How many samples took at least so long.
std::uint64_t samples_from(const Histogram& times, std::int64_t ns) {
  std::uint64_t count = 0;
  for (const auto& [bucket, samples] : times.filled()) {
    if (Histogram::value_of_bucket(bucket) >= ns) count += samples;
  }
  return count;
}

using Check = std::function<Result<Seen>(const BenchCommon&, const std::filesystem::path&, Progress&)>;

Result<Seen> late_answers(const BenchCommon& common, const std::filesystem::path& directory,
                          Progress& progress) {
  const auto cell =
      measure_with(common, directory, {.delay_one_in = delay_one_in, .delay_ns = delay_ns}, 0, progress);
  if (!cell) return std::unexpected(cell.error());
  const auto& times = cell->figures.front().times;
  const auto late = samples_from(times, delay_ns), expected = messages / delay_one_in;
  // Others may be late too on a busy host; and p50 must not have moved.
  const bool found =
      late >= expected && late < expected * 3 && times.percentile_ns(p50).value_or(INT64_MAX) < delay_ns;
  return Seen{found, count_text(late) + " of " + count_text(times.count()) +
                         " round trips took 2 ms or longer (" + count_text(expected) +
                         " were delayed), p50 " + time_text(times.percentile_ns(p50))};
}

Result<Seen> frozen_server(const BenchCommon& common, const std::filesystem::path& directory,
                           Progress& progress) {
  constexpr std::uint64_t rate = 2'000;
  const auto cell =
      measure_with(common, directory, {.freeze_at = messages / 2, .freeze_ns = freeze_ns}, rate, progress);
  if (!cell) return std::unexpected(cell.error());
  const auto& times = cell->figures.front().times;
  // All that were due meanwhile waited, each for what was left of it: timed from their sending only one would
  // be late.
  const auto waited = samples_from(times, freeze_ns / 2), due = rate * (freeze_ns / 2) / 1'000'000'000;
  const bool found = times.largest_ns() >= freeze_ns && waited >= due * 9 / 10;
  return Seen{found, "the longest round trip took " + time_text(times.largest_ns()) + ", and " +
                         count_text(waited) + " that were due meanwhile waited 250 ms or longer (about " +
                         count_text(due) + " must)"};
}

Result<Seen> wrong_byte(const BenchCommon& common, const std::filesystem::path& directory,
                        Progress& progress) {
  const auto cell = measure_with(common, directory, {.wrong_at = messages / 3}, 0, progress);
  if (!cell) return std::unexpected(cell.error());
  const bool found = cell->failed && cell->reasons.front().starts_with("1 answer ");
  return Seen{found, cell->reasons.empty() ? "no cell failed" : cell->reasons.front()};
}

Result<Seen> broken_clock(const BenchCommon&, const std::filesystem::path&, Progress&) {
  std::string seen;
  bool found = true;
  const auto broken = [&](const char* how, const ReadClock& read) {
    const auto check = check_clock(read);
    found = found && !check.broken.empty();
    seen += (seen.empty() ? "" : "; ") + std::string(how) + ": " +
            (check.broken.empty() ? "not noticed" : check.broken);
  };
  broken("one that stands still", [] { return std::int64_t{1}; });
  broken("one that goes backwards",
         [n = std::uint64_t{0}]() mutable { return monotonic_ns() - (++n % 1000 == 0 ? 1'000'000 : 0); });
  broken("one with steps of 10 ms", [] { return monotonic_ns() / 10'000'000 * 10'000'000; });
  const auto good = check_clock(monotonic_ns);
  found = found && good.broken.empty();
  if (!good.broken.empty()) seen += "; this host's own clock: " + good.broken;
  return Seen{found, seen};
}

Result<Seen> memory_as_disk(const BenchCommon&, const std::filesystem::path&, Progress& progress) {
  const std::filesystem::path memory = "/dev/shm";
  const auto kind = file_system_of(memory);
  if (!kind || !kind->volatile_memory)
    return fail(Code::unsupported, "this host has no tmpfs at /dev/shm to try it on");
  const auto directory = TemporaryDirectory::make(memory, "pollux-selftest-");
  if (!directory) return std::unexpected(directory.error());
  BenchDiskOptions options;
  options.files = {"raw"};
  options.operations = {"write"};
  options.syncs = {"fdatasync"};
  options.batches = {1};
  options.records = options.accesses = 1000;
  const auto cells = run_plan(plan_disk(options, (*directory)->path()), {.runs = 1}, progress);
  const auto& cell = cells.front();
  return Seen{
      cell.verdict == Verdict::invalid,
      std::string(to_string(cell.verdict)) + (cell.reasons.empty() ? "" : ": " + cell.reasons.front())};
}

}  // namespace

int bench_selftest(const BenchCommon& common) {
  std::signal(SIGPIPE, SIG_IGN);
  const InterruptGuard interrupt;
  const auto home = TemporaryDirectory::make(common.directory, "pollux-selftest-");
  if (!home) {
    std::fprintf(stderr, "bench selftest: %s\n", home.error().text.c_str());
    return BenchExit::failed;
  }
  const std::pair<const char*, Check> checks[] = {
      {"a server that answers one in a hundred 2 ms late", late_answers},
      {"a server that stands still for 500 ms, once", frozen_server},
      {"a server that answers with one wrong byte, once", wrong_byte},
      {"a broken clock", broken_clock},
      {"a disk that is memory", memory_as_disk},
  };
  unsigned found = 0, missed = 0, skipped = 0;
  for (const auto& [fault, check] : checks) {
    Result<Seen> outcome = fail(Code::ok, "");
    {
      Progress progress;
      outcome = check(common, (*home)->path(), progress);
    }
    if (InterruptGuard::interrupted()) {
      std::fprintf(stderr, "interrupted; everything that was started has been ended and removed\n");
      return BenchExit::interrupted;
    }
    const bool impossible = !outcome && outcome.error().code == Code::unsupported;
    const char* word = outcome && outcome->found ? "found" : impossible ? "not tried" : "NOT FOUND";
    std::printf("%-9s  %s: %s\n", word, fault,
                outcome ? outcome->text.c_str() : outcome.error().text.c_str());
    std::fflush(stdout);
    ++(outcome && outcome->found ? found : impossible ? skipped : missed);
  }
  std::printf("%u of %u faults found%s\n", found, found + missed,
              skipped == 0 ? "" : ", others can't be tried here");
  return missed == 0 ? BenchExit::ok : BenchExit::failed;
}

}  // namespace pollux
