#include "pollux/bench/compare.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/add.h"

namespace pollux {

namespace {

struct Asked {
  std::vector<std::string> files, a, b;
  unsigned deadline_s = 3600;
  std::string keep;
};

void check(const Asked& asked, CompareOptions& options) {
  if (!options.commands.empty()) {
    if (!asked.files.empty() || !asked.a.empty() || !asked.b.empty())
      throw CLI::ValidationError("--abba runs two commands itself; leave the result files out");
    return;
  }
  const bool named = !asked.a.empty() || !asked.b.empty();
  if (named != asked.files.empty() || (named && (asked.a.empty() || asked.b.empty())) ||
      (!named && asked.files.size() != 2)) {
    throw CLI::ValidationError("name two result files, or those of each side with --a and --b");
  }
  if (named) {
    options.a.assign(asked.a.begin(), asked.a.end());
    options.b.assign(asked.b.begin(), asked.b.end());
  } else {
    options.a = {asked.files[0]};
    options.b = {asked.files[1]};
  }
}

}  // namespace

void add_bench_compare(BenchCli& cli) {
  CLI::App* compare =
      cli.bench.add_subcommand("compare",
                               "Two results beside each other: ratios with their intervals, and in "
                               "what the hosts differ. Exit code 5: they don't hold the same "
                               "measurement");
  const auto options = std::make_shared<CompareOptions>();
  const auto asked = std::make_shared<Asked>();
  compare->add_option("files", asked->files, "result file A and result file B")->expected(0, 2);
  compare->add_option("--a", asked->a, "a result file of side A; again for more runs of the same")
      ->allow_extra_args(false);
  compare->add_option("--b", asked->b, "a result file of side B; again for more runs of the same")
      ->allow_extra_args(false);
  compare
      ->add_option(
          "--factor", options->factors,
          "a fact of the host, or the beginning of its name, that is meant to differ, such as 'vm' or "
          "'disk'; may be given more than once; vm, if it differs, unless told")
      ->allow_extra_args(false);
  compare
      ->add_option("--abba", options->commands,
                   "two commands, each of which prints a result as JSON; run here in the order A B B A")
      ->expected(2);
  compare->add_option("--rounds", options->rounds, "of A B B A")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  compare->add_option("--deadline", asked->deadline_s, "seconds that each call of a command may take")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  compare->add_option("--keep", asked->keep, "write the two sides of --abba to KEEP-a.json and KEEP-b.json");
  auto* json = compare->add_flag_callback(
      "--json", [options] { options->form = BenchForm::json; }, "the comparison as JSON");
  compare
      ->add_flag_callback(
          "--markdown", [options] { options->form = BenchForm::markdown; }, "the comparison as Markdown")
      ->excludes(json);
  compare->callback([options, asked, &run = cli.run] {
    check(*asked, *options);
    options->deadline = std::chrono::seconds(asked->deadline_s);
    options->keep = asked->keep;
    run = [options] { return bench_compare(*options); };
  });
}

}  // namespace pollux
