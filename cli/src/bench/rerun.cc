#include "pollux/bench/rerun.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "bench/add.h"
#include "located.h"

namespace pollux {

void add_bench_rerun(BenchCli& cli) {
  // Whatever else `bench` has, has measured what a result holds.
  static constexpr const char* no_measurements[] = {"compare", "peer", "report", "rerun", "selftest"};
  CLI::App* rerun = cli.bench.add_subcommand(
      "rerun", "The measurement that a result file tells of, once more on this host");
  const auto options = std::make_shared<RerunOptions>();
  options->command = program_path();
  rerun
      ->add_option_function<std::string>(
          "file", [options](const std::string& file) { options->file = file; }, "a result file")
      ->required();
  rerun->add_option_function<std::string>(
      "--output", [options](const std::string& file) { options->output = file; },
      "the new result is also written to this file, as JSON");
  rerun->add_flag("--compare", options->compare, "compare with the old result");
  rerun->callback([options, &bench = cli.bench, &run = cli.run] {
    for (const auto* subcommand : bench.get_subcommands([](const CLI::App*) { return true; })) {
      const auto& name = subcommand->get_name();
      if (std::ranges::find(no_measurements, name) == std::end(no_measurements))
        options->measurements.push_back(name);
    }
    run = [options] { return bench_rerun(*options); };
  });
}

}  // namespace pollux
