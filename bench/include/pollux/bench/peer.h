// `pollux bench peer`: the far end of what `bench ipc` and `bench tcp` measure, run on another host (or here,
// by those). It sends back what it gets and counts what it receives; it reads and writes no files but FIFOs
// and shared memory that it is told of on its own host. It has no passwords: let only trusted networks reach
// it.
#pragma once

#include <string>

namespace pollux {

struct PeerOptions {
  std::string listen;   ///< "HOST:PORT" of the control connection; port 0: a free one, which is told
  std::string control;  ///< instead: path of a Unix socket; it ends when that connection does
};
/// Serves one benchmark after the other until SIGINT or SIGTERM. Returns a BenchExit.
int bench_peer(const PeerOptions& options);

}  // namespace pollux
