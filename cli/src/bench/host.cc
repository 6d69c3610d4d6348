#include "pollux/bench/host.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_host(BenchCli& cli) {
  CLI::App* host = cli.bench.add_subcommand("host",
                                            "What this host is, and what that was told from: VM, container, "
                                            "CPU, limits, clock, memory, network, and the "
                                            "disk that --directory is on. Measures nothing");
  const auto common = add_common_options(*host, cli);
  host->callback([common, &run = cli.run] { run = [common] { return bench_host(*common); }; });
}

}  // namespace pollux
