#include "all/parts.h"

#include "commit/commit_cells.h"
#include "commit/commit_runs.h"
#include "cpu/cpu_plan.h"
#include "disk/disk_plan.h"
#include "file/file_plan.h"
#include "groupware/groupware_runs.h"
#include "http/http_plan.h"
#include "ipc/ipc_plan.h"
#include "memory/memory_plan.h"
#include "noise/noise_plan.h"
#include "office/office_run.h"
#include "pocket/pocket_plan.h"
#include "tcp/tcp_plan.h"

namespace pollux {

namespace {

Result<std::vector<Cell>> measured(AllRun& run, Result<std::vector<CellGroup>> plan) {
  if (!plan) return std::unexpected(plan.error());
  return run_plan(*plan, {.runs = run.common.runs}, run.progress);
}

Result<std::vector<Cell>> noise(AllRun& run) {
  NoiseOptions options;
  if (run.common.quick) make_quick(options);
  return measured(run, plan_noise(run.common, options, run.directory));
}

Result<std::vector<Cell>> cpu(AllRun& run) {
  CpuOptions options;
  if (run.common.quick) make_quick(options);
  return measured(run, plan_cpu(run.common, options, run.directory));
}

Result<std::vector<Cell>> memory(AllRun& run) {
  MemoryOptions options;
  if (run.common.quick) make_quick(options);
  return measured(run, plan_memory(run.common, options, run.directory));
}

Result<std::vector<Cell>> ipc(AllRun& run) {
  BenchIpcOptions options;
  if (run.common.quick) make_quick(options);
  auto cells = measured(run, plan_ipc(std::make_shared<IpcBench>(run.common, options, run.directory)));
  if (cells && !run.options.peer.empty()) {
    options.peer = run.options.peer;
    auto far = measured(run, plan_ipc(std::make_shared<IpcBench>(run.common, options, run.directory)));
    if (!far) return far;
    cells->insert(cells->end(), far->begin(), far->end());
  }
  if (cells) find_knees(*cells, run.findings);
  return cells;
}

Result<std::vector<Cell>> tcp(AllRun& run) {
  BenchTcpOptions options;
  if (run.common.quick) make_quick(options);
  options.peer = run.options.peer;
  auto cells = measured(run, plan_tcp(std::make_shared<TcpBench>(run.common, options, run.directory)));
  if (cells) find_plateaus(*cells, run.findings);
  return cells;
}

Result<std::vector<Cell>> disk(AllRun& run) {
  BenchDiskOptions options;
  if (run.common.quick) make_quick(options);
  return measured(run, plan_disk(options, run.directory));
}

Result<std::vector<Cell>> commit(AllRun& run) {
  BenchCommitOptions options;
  if (run.common.quick) make_quick(options);
  auto inside = run.common;
  inside.directory = run.directory;
  const auto report = measure_commit(inside, options, run.progress);
  if (!report) return std::unexpected(report.error());
  return cells_of(*report);
}

Result<std::vector<Cell>> http(AllRun& run) {
  BenchHttpOptions options;
  if (run.common.quick) make_quick(options);
  return measured(run, plan_http(run.common, options, run.directory));
}

Result<std::vector<Cell>> file(AllRun& run) {
  BenchFileOptions options;
  if (run.common.quick) {
    make_quick(options);
    options.buffers = {8u << 10, 0};
  }
  return measured(run, plan_file(run.common, options, run.directory));
}

Result<std::vector<Cell>> office(AllRun& run) {
  BenchOfficeOptions options;
  if (run.common.quick) make_quick(options);
  return measured(run, plan_office(run.common, options, run.directory));
}

Result<std::vector<Cell>> groupware(AllRun& run) {
  BenchGroupwareOptions options;
  if (run.common.quick) {
    make_quick(options);
    options.against = std::vector<std::string>{};
    options.kinds = {"get", "put", "multiget"};
  }
  auto inside = run.common;
  inside.directory = run.directory;
  return groupware_cells(inside, options, run.progress);
}

Result<std::vector<Cell>> pocket(AllRun& run) {
  BenchPocketOptions options;
  if (run.common.quick) make_quick(options);
  return measured(run, plan_pocket(run.common, options, run.directory));
}

// Measurements that need a service which this build does not have.
Result<std::vector<Cell>> without_service(const char* name, const char* what) {
  Cell cell;
  cell.bench = name;
  cell.workload = {{"service", name}};
  cell.verdict = Verdict::not_available;
  cell.reasons = {what};
  return std::vector{cell};
}

}  // namespace

const std::vector<AllPart>& all_parts() {
  static const std::vector<AllPart> parts = {
      {"noise", "abcd", noise},
      {"cpu", "b", cpu},
      {"memory", "b", memory},
      {"ipc", "a", ipc},
      {"tcp", "ac", tcp},
      {"disk", "a", disk},
      {"commit", "a", commit},
      {"http", "d", http},
      {"office", "d", office},
      {"file", "c", file},
      {"groupware", "d", groupware},
      {"pocket", "d", pocket},
      {"risk", "a",
       [](AllRun&) { return without_service("risk", "this build has no service that checks orders"); }},
      {"ingest", "b",
       [](AllRun&) { return without_service("ingest", "this build has no service that takes in records"); }},
  };
  return parts;
}

}  // namespace pollux
