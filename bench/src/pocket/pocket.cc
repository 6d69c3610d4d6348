#include "pollux/bench/pocket.h"

#include <unistd.h>

#include <memory>

#include "groupware/groupware_pair.h"
#include "http/http_plan.h"
#include "pocket/held_group.h"
#include "pocket/pocket_plan.h"
#include "run/benchmark.h"
#include "run/format.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

// Small queues and caches, and time-outs that a host which stands still most of the time can keep.
constexpr const char* pair_settings =
    "query_threads = 1\n"
    "queue_requests_max = 512\nqueue_reads_max = 512\nqueue_bytes_max = \"8 MiB\"\n"
    "batch_records_max = 256\nbatch_bytes_max = \"256 KiB\"\n"
    "in_flight_records_max = 1024\nin_flight_bytes_max = \"2 MiB\"\n"
    "unapplied_records_max = 4096\nunapplied_bytes_max = \"4 MiB\"\nresend_bytes = \"256 KiB\"\n"
    "request_bytes_max = \"1 MiB\"\nreply_bytes_max = \"1 MiB\"\nsession_reply_bytes_max = \"2 MiB\"\n"
    "tail_chunk_bytes = \"128 KiB\"\n"
    "heartbeat_ms = 500\nlease_ms = 3000\ngrace_ms = 5000\ntakeover_after_ms = 8000\nleft_behind_after_ms = "
    "20000\n"
    "resend_after_ms = 5000\nexecute_limit_ms = 60000\nforce_limit_ms = 60000\n";
constexpr const char* gateway_settings = "threads = 1\nbody_bytes_max = \"768 KiB\"\n";

struct Pocket {
  std::unique_ptr<HeldGroup> group;
  std::unique_ptr<GroupwarePair> pair;
  HttpStored stored;
  ~Pocket() {
    pair.reset();  // before the group that its processes are in
    group.reset();
  }
};

Result<void> open_pocket(Pocket& pocket, const BenchCommon& common, const BenchPocketOptions& options,
                         const std::filesystem::path& directory) {
  auto group = HeldGroup::make("pollux-pocket-" + std::to_string(getpid()), options.memory_bytes);
  if (!group) return std::unexpected(group.error());
  pocket.group = std::move(*group);
  Progress progress;
  auto pair = GroupwarePair::start({.command = common.command,
                                    .parent = directory,
                                    .events = 0,
                                    .pair_settings = pair_settings,
                                    .gateway_settings = gateway_settings,
                                    .cgroup_doors = pocket.group->doors()},
                                   progress);
  if (!pair) return std::unexpected(pair.error());
  pocket.pair = std::move(*pair);
  return pocket.group->hold_cpu(options.cpu_percent);
}

std::vector<std::string> close_pocket(Pocket& pocket) {
  std::vector<std::string> wrong;
  if (pocket.pair != nullptr && !InterruptGuard::interrupted()) {
    if (const auto lost = count_lost(*pocket.pair, pocket.stored); !lost.empty()) wrong.push_back(lost);
    if (const auto check = pocket.pair->check(); !check.wrong.empty()) wrong.push_back(check.wrong);
    if (const auto kills = pocket.group->oom_kills(); kills > 0) {
      wrong.push_back("the kernel killed " + count_text(kills) + " processes for want of memory");
    }
  }
  if (pocket.group != nullptr) pocket.group->hold_cpu(std::nullopt);  // what follows is not measured
  pocket.pair.reset();
  pocket.group.reset();
  return wrong;
}

Result<CellRun> run_pocket(Pocket& pocket, const std::string& operation, unsigned clients, bool keep_alive,
                           const BenchPocketOptions& options) {
  const auto throttled = pocket.group->throttled_us();
  auto run = run_http_cell(*pocket.pair, pocket.stored, operation, clients, keep_alive,
                           {.requests = options.requests, .limit = options.limit});
  if (!run) return run;
  run->figures.push_back(number_figure("memory peak", Unit::bytes, Better::less,
                                       static_cast<std::int64_t>(pocket.group->memory_peak_bytes())));
  run->found.emplace_back(
      "held back by the quota",
      time_text(static_cast<std::int64_t>(pocket.group->throttled_us() - throttled) * 1000));
  run->found.emplace_back("cgroup version", std::to_string(pocket.group->version()));
  return run;
}

}  // namespace

void make_quick(BenchPocketOptions& options) {
  constexpr std::uint64_t requests = 100;
  options.requests = std::min(options.requests, requests);
  options.clients = {10};
}

std::vector<CellGroup> plan_pocket(const BenchCommon& common, const BenchPocketOptions& options,
                                   const std::filesystem::path& directory) {
  const auto pocket = std::make_shared<Pocket>();
  CellGroup group{.name = "pocket",
                  .cells = {},
                  .open_takes = std::chrono::seconds(8),
                  .open = [pocket, common, options,
                           directory] { return open_pocket(*pocket, common, options, directory); },
                  .close = [pocket] { return close_pocket(*pocket); }};
  for (const std::string operation : {"get-700", "put"}) {
    for (const unsigned clients : options.clients) {
      for (const bool keep_alive : {true, false}) {
        group.cells.push_back({.bench = "pocket",
                               .workload = {{"operation", operation},
                                            {"clients", std::to_string(clients)},
                                            {"keep_alive", keep_alive ? "yes" : "no"},
                                            {"requests", std::to_string(options.requests)},
                                            {"memory_bytes", std::to_string(options.memory_bytes)},
                                            {"cpu_percent", std::to_string(options.cpu_percent)}},
                               .not_available = {},
                               .takes = std::chrono::seconds(2),
                               .run = [pocket, operation, clients, keep_alive, options] {
                                 return run_pocket(*pocket, operation, clients, keep_alive, options);
                               }});
      }
    }
  }
  // Without a cgroup nothing is held, and nothing is measured: said before anything is started.
  if (const auto possible =
          HeldGroup::make("pollux-pocket-try-" + std::to_string(getpid()), options.memory_bytes);
      !possible) {
    for (auto& cell : group.cells) cell.not_available = possible.error().text;
  }
  return {group};
}

int bench_pocket(const BenchCommon& common, const BenchPocketOptions& options) {
  return run_benchmark(common, "pocket",
                       [&](const std::filesystem::path& directory) -> Result<std::vector<CellGroup>> {
                         return plan_pocket(common, options, directory);
                       });
}

}  // namespace pollux
