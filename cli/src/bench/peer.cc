#include "pollux/bench/peer.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_peer(BenchCli& cli) {
  auto& peer = *cli.bench.add_subcommand(
      "peer",
      "The far end of bench ipc and bench tcp, for another host. Has no passwords: trusted networks only");
  const auto options = std::make_shared<PeerOptions>();
  auto* listen = peer.add_option("--listen", options->listen, "HOST:PORT to listen on; port 0: a free one");
  peer.add_option("--control", options->control, "")->group("")->excludes(listen);
  peer.callback([options, &run = cli.run] {
    if (options->listen.empty() && options->control.empty()) {
      throw CLI::ValidationError("--listen HOST:PORT is missing");
    }
    run = [options] { return bench_peer(*options); };
  });
}

}  // namespace pollux
