#include <cstring>

#include "host/pinned.h"
#include "ipc/ipc_plan.h"
#include "ipc/round_trips.h"
#include "pollux/bench/spawned_pair.h"
#include "pollux/ipc/requester.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds start_limit(30), settle_limit(30);

// A pair of the echo service, running as long as its group is measured.
struct EchoPair {
  std::unique_ptr<SpawnedPair> spawned;
  std::unique_ptr<Requester> requester;
};

Result<void> open_pair(EchoPair& pair, const IpcBench& bench, const CpuPlace& place) {
  const auto on = [](const std::optional<int>& cpu) { return cpu ? std::vector{*cpu} : std::vector<int>{}; };
  auto spawned = SpawnedPair::start({.command = bench.common().command,
                                     .parent = bench.directory(),
                                     .service = "echo",
                                     .pair_settings = {},
                                     .node_settings = {},
                                     .more_settings = {},
                                     .cpus_a = on(place.server),
                                     .cpus_b = on(place.client),
                                     .environment = {},
                                     .member_settings_a = {},
                                     .member_settings_b = {}});
  if (!spawned) return std::unexpected(spawned.error());
  pair.spawned = std::move(*spawned);
  if (!SpawnedPair::wait_until([&] { return pair.spawned->in_sync(); }, start_limit,
                               &InterruptGuard::flag())) {
    return fail(Code::unreachable, "the pair did not get in sync: " + pair.spawned->describe());
  }
  // The requester's thread keeps the CPUs of the thread that opens it.
  const PinnedHere pinned(place.client_cpus());
  auto requester = Requester::open(pair.spawned->address());
  if (!requester) return std::unexpected(requester.error());
  pair.requester = std::move(*requester);
  return {};
}

std::vector<std::string> close_pair(EchoPair& pair) {
  std::vector<std::string> wrong;
  pair.requester.reset();
  if (pair.spawned != nullptr && !InterruptGuard::interrupted() &&
      !SpawnedPair::wait_until([&] { return pair.spawned->settled(); }, settle_limit,
                               &InterruptGuard::flag())) {
    wrong.push_back("the members' trails are not equal at the end: " + pair.spawned->describe());
  }
  pair.spawned.reset();
  return wrong;
}

Result<CellRun> run_pair(EchoPair& pair, const IpcBench& bench, bool journaled, std::size_t bytes,
                         const CpuPlace& place) {
  const PinnedHere pinned(place.client_cpus());
  const auto& options = bench.options();
  const RoundTripOptions trips{.messages = options.messages, .limit = options.limit, .rate = options.rate};
  std::string message(bytes, 'p'), answer, problem;
  const auto number_it = [&](std::uint64_t number) {
    std::memcpy(message.data(), &number, std::min(bytes, sizeof number));
  };
  number_it(0);
  const auto trip = [&](std::uint64_t) {
    auto reply = journaled ? pair.requester->call(message, options.give_up)
                           : pair.requester->query(message, options.give_up);
    if (!reply) {
      problem = "the pair: " + std::string(to_string(reply.error().code)) + ": " + reply.error().text;
      return false;
    }
    answer = std::move(reply->payload);
    return true;
  };
  auto run = cell_run_of(run_round_trips(
                             trips, trip,
                             [&](std::uint64_t number) {
                               const bool same = answer == message;
                               number_it(number + 1);
                               return same;
                             },
                             [&] { return problem; }),
                         trips);
  run.found.emplace_back("cpus", place.client
                                     ? "requester and member b on CPU " + std::to_string(*place.client) +
                                           ", member a on CPU " + std::to_string(*place.server)
                                     : "any CPU");
  return run;
}

// A journaled message is written to two disks: a run of 1 MiB messages would fill them for no insight.
constexpr std::uint64_t commit_bytes_max = 64u << 10;

}  // namespace

CellGroup plan_pair_echo(const std::shared_ptr<IpcBench>& bench, const CpuPlace& place,
                         const std::vector<std::string>& transports,
                         const std::vector<std::uint64_t>& sizes) {
  const auto pair = std::make_shared<EchoPair>();
  CellGroup group{.name = "ipc through a pair, " + place.name,
                  .cells = {},
                  .open_takes = std::chrono::seconds(2),
                  .open = [bench, pair, place] { return open_pair(*pair, *bench, place); },
                  .close = [pair] { return close_pair(*pair); }};
  for (const auto& transport : transports) {
    const bool journaled = transport == "pollux-commit";
    for (const auto bytes : sizes) {
      if (journaled && bytes > commit_bytes_max) continue;
      group.cells.push_back(
          {.bench = "ipc",
           .workload = {{"transport", transport}, {"bytes", std::to_string(bytes)}, {"place", place.name}},
           .not_available = place.why_not,
           .takes = bench->options().limit,
           .run = [bench, pair, journaled, bytes, place] {
             return run_pair(*pair, *bench, journaled, bytes, place);
           }});
    }
  }
  return group;
}

}  // namespace pollux
