#include "pollux/bench/office.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_office(BenchCli& cli) {
  auto& office = *cli.bench.add_subcommand("office", "An office's day replayed against a groupware pair");
  const auto options = std::make_shared<BenchOfficeOptions>();
  const auto common = add_common_options(office, cli);
  auto* people = office.add_option("--people", options->people, "in the office; 200 to 300 requests each")
                     ->check(CLI::Range(1u, 1000u))
                     ->capture_default_str();
  auto* compress = office.add_option("--compress", options->compress, "so many times faster than the office")
                       ->check(CLI::Range(1u, 1'000'000u))
                       ->capture_default_str();
  office.add_option("--seed", options->seed, "of the schedule")->capture_default_str();
  office.add_option("--setting", options->settings,
                    "a line of the pair's table in the configuration file; may be given more than once");
  office.add_option("--gateway-setting", options->gateway_settings,
                    "a line of the gateway's table; may be given more than once");
  office.callback([common, options, people, compress, &run = cli.run] {
    if (common->quick) {
      BenchOfficeOptions quick = *options;
      make_quick(quick);
      if (people->empty()) options->people = quick.people;
      if (compress->empty()) options->compress = quick.compress;
    }
    run = [common, options] { return bench_office(*common, *options); };
  });
}

}  // namespace pollux
