// `pollux bench ipc`: how long a message takes from a requester to a server and back, by size, by what
// carries it, and by where the two run.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct BenchIpcOptions {
  std::vector<std::string> transports;    ///< of ipc_transports(); empty: all
  std::vector<std::uint64_t> bytes;       ///< of a message, the same in both directions; empty: 16 B to 1 MiB
  std::vector<std::string> places;        ///< of ipc_places(); empty: those this host has
  std::uint64_t messages = 10'000;        ///< in a run, warm-up not included
  std::chrono::milliseconds limit{2000};  ///< of a run: it ends early, with as many as it had by then
  std::uint64_t rate = 0;  ///< messages a second, timed from when they were due; 0: one after the other
  std::string peer;        ///< "HOST:PORT" of `pollux bench peer`: the place is other-host then
  std::chrono::milliseconds give_up{10'000};  ///< no answer for so long: the other end is given up
};

std::vector<std::string> ipc_transports();
std::vector<std::string> ipc_places();
/// What --quick makes smaller, unless it was given.
void make_quick(BenchIpcOptions& options);
int bench_ipc(const BenchCommon& common, const BenchIpcOptions& options);

}  // namespace pollux
