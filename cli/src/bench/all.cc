#include "pollux/bench/all.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_all(BenchCli& cli) {
  auto& all =
      *cli.bench.add_subcommand("all", "Every measurement of this host, one after the other, in one result");
  const auto options = std::make_shared<BenchAllOptions>();
  const auto common = add_common_options(all, cli);
  auto* preset =
      all.add_option("--preset", options->preset, "only what repeats a published series (docs/benchmarks)")
          ->check(CLI::IsMember(bench_presets()));
  all.add_option("--only", options->only, "only these measurements")
      ->delimiter(',')
      ->check(CLI::IsMember(bench_all_names()))
      ->excludes(preset);
  all.add_option("--peer", options->peer,
                 "HOST:PORT of 'pollux bench peer' on another host: ipc and tcp go there, too");
  auto* runs = all.get_option("--runs");
  all.callback([common, options, runs, &run = cli.run] {
    constexpr unsigned quick_runs = 2;
    if (common->quick && runs->empty()) common->runs = quick_runs;
    run = [common, options] { return bench_all(*common, *options); };
  });
}

}  // namespace pollux
