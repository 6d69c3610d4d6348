#include "pollux/bench/all.h"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "all/parts.h"
#include "host/canary.h"
#include "pollux/bench/child_process.h"
#include "run/benchmark.h"
#include "run/host_change.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

bool wanted(const AllPart& part, const BenchAllOptions& options) {
  if (!options.only.empty()) return std::ranges::find(options.only, part.name) != options.only.end();
  return options.preset.empty() || part.presets.find(options.preset.back()) != std::string_view::npos;
}

Cell unmeasured(std::string_view part, Verdict verdict, std::string reason) {
  Cell cell;
  cell.bench = std::string(part);
  cell.workload = {{"part", "all"}};
  cell.verdict = verdict;
  cell.reasons = {std::move(reason)};
  return cell;
}

// One part's trouble does not end the others.
std::vector<Cell> measure_part(const AllPart& part, AllRun& run, const std::filesystem::path& home) {
  if (InterruptGuard::interrupted()) {
    return {unmeasured(part.name, Verdict::not_available, "interrupted before it was measured")};
  }
  run.directory = home / std::string(part.name);
  std::error_code error;
  std::filesystem::create_directory(run.directory, error);
  auto cells = error ? Result<std::vector<Cell>>(fail(
                           Code::io_error, "can't make " + run.directory.string() + ": " + error.message()))
                     : part.measure(run);
  std::filesystem::remove_all(run.directory, error);
  if (cells) return std::move(*cells);
  if (InterruptGuard::interrupted()) {
    return {unmeasured(part.name, Verdict::not_available, "interrupted while it was measured")};
  }
  return {unmeasured(part.name, Verdict::invalid, cells.error().text)};
}

}  // namespace

std::vector<std::string> bench_all_names() {
  std::vector<std::string> names;
  for (const auto& part : all_parts()) names.emplace_back(part.name);
  return names;
}

std::vector<std::string> bench_presets() { return {"seed-a", "seed-b", "seed-c", "seed-d"}; }

int bench_all(const BenchCommon& common, const BenchAllOptions& options) {
  if (const int code = check_thresholds(common, "all"); code != BenchExit::ok) return code;
  std::signal(SIGPIPE, SIG_IGN);
  const InterruptGuard interrupt;
  BenchResult result;
  {
    const auto home = TemporaryDirectory::make(common.directory, "pollux-bench-");
    if (!home) {
      std::fprintf(stderr, "bench all: %s\n", home.error().text.c_str());
      return BenchExit::failed;
    }
    Progress progress;
    result = begin_result(common, (*home)->path());
    const auto begin = monotonic_ns();
    const auto canary_before = canary_ns();
    AllRun run{.common = common, .options = options, .directory = {}, .progress = progress, .findings = {}};
    std::size_t number = 0;
    const auto count =
        std::ranges::count_if(all_parts(), [&](const AllPart& part) { return wanted(part, options); });
    for (const auto& part : all_parts()) {
      if (!wanted(part, options)) continue;
      progress.part(std::to_string(++number) + " of " + std::to_string(count));
      auto cells = measure_part(part, run, (*home)->path());
      std::ranges::move(cells, std::back_inserter(result.cells));
    }
    result.findings = std::move(run.findings);
    note_host_change(result, canary_before, canary_ns());
    result.took_ns = monotonic_ns() - begin;
    result.complete = !InterruptGuard::interrupted();
  }
  return finish_result(common, "all", result);
}

}  // namespace pollux
