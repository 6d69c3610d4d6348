#include "pollux/bench/noise.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_noise(BenchCli& cli) {
  CLI::App* noise = cli.bench.add_subcommand("noise",
                                             "How steady this host is: what reading a clock costs, how late "
                                             "a sleeper wakes, for how long a busy thread was "
                                             "kept from running, what the hypervisor took");
  const auto common = add_common_options(*noise, cli);
  const auto options = std::make_shared<NoiseOptions>();
  noise
      ->add_option_function<unsigned>(
          "--busy-ms", [options](unsigned ms) { options->busy = std::chrono::milliseconds(ms); },
          "of each busy loop, each run")
      ->check(CLI::Range(10u, 3'600'000u))
      ->default_str("500");
  noise->add_option("--wakeups", options->wakeups, "sleeps of 1 ms, each run")
      ->check(CLI::Range(10u, 3'600'000u))
      ->capture_default_str();
  noise->add_option("--cpus-max", options->cpus_max, "CPUs that are looked at one by one; then all at once")
      ->check(CLI::Range(1u, 4096u))
      ->capture_default_str();
  noise->callback([common, options, &run = cli.run] {
    if (common->quick) make_quick(*options);
    run = [common, options] { return bench_noise(*common, *options); };
  });
}

}  // namespace pollux
