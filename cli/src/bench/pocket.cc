#include "pollux/bench/pocket.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_pocket(BenchCli& cli) {
  auto& pocket = *cli.bench.add_subcommand(
      "pocket",
      "The whole stack held in a cgroup, as small as a small machine, and measured there; takes root");
  const auto options = std::make_shared<BenchPocketOptions>();
  const auto common = add_common_options(pocket, cli);
  pocket
      .add_option_function<std::string>(
          "--memory",
          [options](const std::string& size) {
            constexpr std::uint64_t least = 16u << 20, most = 1ULL << 40;
            options->memory_bytes = bytes_of(size, least, most);
          },
          "memory of all processes together, such as 128M")
      ->default_str("64000000");
  pocket.add_option("--cpu-percent", options->cpu_percent, "of one core, while it is measured")
      ->check(CLI::Range(1u, 10'000u))
      ->capture_default_str();
  pocket.add_option("--clients", options->clients, "at the same time")
      ->delimiter(',')
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  pocket.add_option("--requests", options->requests, "in each run")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  pocket.callback([common, options, &run = cli.run] {
    if (common->quick) make_quick(*options);
    run = [common, options] { return bench_pocket(*common, *options); };
  });
}

}  // namespace pollux
