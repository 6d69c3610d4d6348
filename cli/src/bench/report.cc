#include "pollux/bench/report.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/add.h"

namespace pollux {

void add_bench_report(BenchCli& cli) {
  CLI::App* report =
      cli.bench.add_subcommand("report",
                               "Results as one HTML file with charts, which needs no network and no "
                               "scripts; two results are compared as well");
  const auto options = std::make_shared<ReportOptions>();
  report
      ->add_option_function<std::vector<std::string>>(
          "files",
          [options](const std::vector<std::string>& files) {
            options->files.assign(files.begin(), files.end());
          },
          "result files")
      ->required()
      ->expected(1, 26);
  report
      ->add_option_function<std::string>(
          "--output", [options](const std::string& file) { options->output = file; },
          "the HTML file that is written")
      ->required();
  report->callback([options, &run = cli.run] { run = [options] { return bench_report(*options); }; });
}

}  // namespace pollux
