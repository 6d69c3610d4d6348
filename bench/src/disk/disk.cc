#include <algorithm>

#include "disk/disk_plan.h"
#include "host/host.h"
#include "pollux/bench/disk_floor.h"
#include "run/benchmark.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

// The same numbers on every host: a small generator of our own, not the library's.
class Numbers {
 public:
  explicit Numbers(std::uint64_t below) : below_(below) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;  // SplitMix64
    auto mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    return (mixed ^ (mixed >> 31)) % below_;
  }

 private:
  std::uint64_t state_ = 1;
  const std::uint64_t below_;
};

std::unique_ptr<DiskFile> open_file(const std::filesystem::path& directory, const DiskCell& cell) {
  if (cell.file == "raw") return open_raw_file(directory, cell);
  return cell.file == "lmdb" ? open_lmdb_file(directory, cell) : open_trail_file(directory, cell);
}

// One file for all cells that may share it: reads, or writes with one way of syncing.
struct Opened {
  std::unique_ptr<DiskFile> file;
  std::string device, file_system;
  bool volatile_memory = false;
};

Result<CellRun> run_reads(DiskFile& file, const DiskCell& cell, const BenchDiskOptions& options) {
  if (cell.cold) {
    if (auto cold = file.cool_down(); !cold) return std::unexpected(cold.error());
  }
  Histogram times;
  Numbers numbers(options.records);
  CellRun run;
  const auto begin = monotonic_ns();
  for (std::uint64_t i = 0; i < options.accesses && !InterruptGuard::interrupted(); ++i) {
    const auto n = numbers.next();
    const auto before = monotonic_ns();
    const auto right = file.read(n);
    const auto after = monotonic_ns();
    if (!right) return std::unexpected(right.error());
    if (!*right) {
      run.wrong.push_back("record " + std::to_string(n) + " was read with other content than was written");
      break;
    }
    times.record_ns(after - before);
    if (after - begin > std::chrono::nanoseconds(options.limit).count()) break;
  }
  run.figures.push_back(times_figure("access", std::move(times)));
  return run;
}

Result<CellRun> run_writes(const Opened& opened, const DiskCell& cell, const BenchDiskOptions& options) {
  Histogram times;
  Numbers numbers(options.records);
  const auto counted = read_host_counters(opened.device);
  const auto begin = monotonic_ns();
  std::uint64_t records = 0, flushes = 0;
  auto now = begin;
  while (records < options.accesses && !InterruptGuard::interrupted()) {
    std::vector<std::uint64_t> batch(cell.batch);
    for (auto& n : batch) n = numbers.next();
    const auto before = monotonic_ns();
    if (auto written = opened.file->write(batch); !written) return std::unexpected(written.error());
    now = monotonic_ns();
    times.record_ns(now - before);
    records += batch.size();
    ++flushes;
    if (now - begin > std::chrono::nanoseconds(options.limit).count()) break;
  }
  const auto counters = difference(counted, read_host_counters(opened.device));
  CellRun run;
  const auto middle = times.median_ns();
  run.figures.push_back(times_figure(cell.batch == 1 ? "access" : "batch", std::move(times)));
  run.figures.push_back(rate_figure("records", records, std::chrono::nanoseconds(now - begin)));
  if (opened.volatile_memory || cell.sync != DiskSync::none) {
    const auto verdict = judge_flush({.file_system = opened.file_system,
                                      .volatile_memory = opened.volatile_memory,
                                      .device = opened.device,
                                      .write_cache = write_cache_of(opened.device),
                                      .flushes_asked = flushes,
                                      .flushes_counted = counters.flushes,
                                      .p50_ns = middle});
    run.found.emplace_back("flush", verdict.text);
    if (verdict.invalid) run.invalid.push_back(verdict.text);
    if (verdict.doubtful) run.noisy.push_back(verdict.text);
  }
  return run;
}

PlannedCell planned(const std::shared_ptr<Opened>& opened, const DiskCell& cell,
                    const BenchDiskOptions& options) {
  Facts workload = {{"file", cell.file}, {"operation", cell.write ? "write" : "read"}};
  if (cell.write) {
    workload.emplace_back("sync", to_string(cell.sync));
    workload.emplace_back("batch", std::to_string(cell.batch));
  } else {
    workload.emplace_back("cache", cell.cold ? "cold" : "warm");
  }
  workload.emplace_back("records", std::to_string(options.records));
  return {.bench = "disk",
          .workload = std::move(workload),
          .not_available = {},
          .takes = cell.write && cell.sync != DiskSync::none
                       ? std::min(options.limit, std::chrono::milliseconds(2000))
                       : std::chrono::milliseconds(100),
          .run = [opened, cell, options] {
            return cell.write ? run_writes(*opened, cell, options) : run_reads(*opened->file, cell, options);
          }};
}

CellGroup group_of(const std::vector<DiskCell>& cells, const BenchDiskOptions& options,
                   const std::filesystem::path& directory) {
  const auto opened = std::make_shared<Opened>();
  const auto first = cells.front();
  CellGroup group{
      .name = "disk " + first.file + (first.write ? " write " + std::string(to_string(first.sync)) : " read"),
      .cells = {},
      .open_takes = std::chrono::milliseconds(options.records / 1000),
      .open = [opened, first, options, directory]() -> Result<void> {
        const auto kind = file_system_of(directory);
        if (!kind) return std::unexpected(kind.error());
        opened->file_system = kind->name;
        opened->volatile_memory = kind->volatile_memory;
        opened->device = disk_device_of(directory);
        opened->file = open_file(directory, first);
        return opened->file->prepare(options.records);
      },
      .close =
          [opened] {
            opened->file.reset();
            return std::vector<std::string>{};
          }};
  for (const auto& cell : cells) group.cells.push_back(planned(opened, cell, options));
  return group;
}

bool wanted(const std::vector<std::string>& list, std::string_view word) {
  return list.empty() || std::ranges::find(list, word) != list.end();
}

std::vector<DiskSync> syncs_of(const std::string& file) {
  // The trail is always forced; LMDB writes its last page with O_DSYNC of its own accord, and has no mode for
  // all.
  if (file == "trail") return {DiskSync::fdatasync};
  if (file == "lmdb") return {DiskSync::none, DiskSync::fdatasync};
  return {DiskSync::none, DiskSync::dsync, DiskSync::fdatasync};
}

}  // namespace

std::string_view to_string(DiskSync sync) {
  return sync == DiskSync::none ? "none" : sync == DiskSync::dsync ? "dsync" : "fdatasync";
}

std::vector<CellGroup> plan_disk(const BenchDiskOptions& options, const std::filesystem::path& directory) {
  std::vector<CellGroup> groups;
  const auto batches = options.batches.empty() ? std::vector<unsigned>{1, 16, 256} : options.batches;
  for (const std::string file : {"raw", "lmdb", "trail"}) {
    if (!wanted(options.files, file)) continue;
    if (wanted(options.operations, "read")) {
      groups.push_back(
          group_of({{.file = file, .cold = false}, {.file = file, .cold = true}}, options, directory));
    }
    if (!wanted(options.operations, "write")) continue;
    for (const auto sync : syncs_of(file)) {
      if (!wanted(options.syncs, to_string(sync))) continue;
      std::vector<DiskCell> cells;
      for (const auto batch : batches)
        cells.push_back({.file = file, .write = true, .sync = sync, .batch = batch});
      groups.push_back(group_of(cells, options, directory));
    }
  }
  return groups;
}

int bench_disk(const BenchCommon& common, const BenchDiskOptions& options) {
  return run_benchmark(common, "disk",
                       [&](const std::filesystem::path& directory) -> Result<std::vector<CellGroup>> {
                         return plan_disk(options, directory);
                       });
}

void make_quick(BenchDiskOptions& options) {
  constexpr std::uint64_t records = 100'000, accesses = 1000;
  options.records = std::min(options.records, records);
  options.accesses = std::min(options.accesses, accesses);
  if (options.batches.empty()) options.batches = {1, 256};
}

}  // namespace pollux
