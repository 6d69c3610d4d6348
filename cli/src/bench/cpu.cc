#include "pollux/bench/cpu.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_cpu(BenchCli& cli) {
  CLI::App* cpu = cli.bench.add_subcommand("cpu",
                                           "Reference loops of this CPU: compression (integers) and ray "
                                           "tracing (floating point), on one thread and "
                                           "on one for each CPU");
  const auto common = add_common_options(*cpu, cli);
  const auto options = std::make_shared<CpuOptions>();
  cpu->add_option_function<unsigned>(
         "--least-ms", [options](unsigned ms) { options->least = std::chrono::milliseconds(ms); },
         "that each loop runs, each run")
      ->check(CLI::Range(10u, 3'600'000u))
      ->default_str("500");
  cpu->callback([common, options, &run = cli.run] {
    if (common->quick) make_quick(*options);
    run = [common, options] { return bench_cpu(*common, *options); };
  });
}

}  // namespace pollux
