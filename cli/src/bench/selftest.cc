#include "pollux/bench/selftest.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"
#include "located.h"

namespace pollux {

void add_bench_selftest(BenchCli& cli) {
  auto& selftest = *cli.bench.add_subcommand(
      "selftest",
      "Measure things that are known to be bad, and see that the tool finds just that. Exit codes: 0 all "
      "found, 1 not");
  const auto common = std::make_shared<BenchCommon>();
  common->command = program_path();
  selftest
      .add_option_function<std::string>(
          "--directory", [common](const std::string& path) { common->directory = path; },
          "for temporary files")
      ->default_str(".");
  selftest.callback([common, &run = cli.run] { run = [common] { return bench_selftest(*common); }; });
}

}  // namespace pollux
