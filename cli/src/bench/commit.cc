#include "pollux/bench/commit.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

namespace {

struct CommitOptions {
  BenchCommitOptions bench;
  long long step_s = 3, sustained_s = 10;
  std::uint64_t resident_mib = 0;
};

int run_commit(const BenchCommon& common, CommitOptions& options) {
  options.bench.step = std::chrono::seconds(options.step_s);
  options.bench.sustained = std::chrono::seconds(options.sustained_s);
  options.bench.resident_bytes = options.resident_mib << 20;
  return bench_commit(common, options.bench);
}

}  // namespace

void add_bench_commit(BenchCli& cli) {
  const auto options = std::make_shared<CommitOptions>();
  CLI::App* commit = cli.bench.add_subcommand(
      "commit",
      "What a commit costs here, as a ratio to a plain flush of the disk. Starts a pair of its own in a "
      "temporary directory. Exit codes: 0 measured, 1 could not measure or the pair failed, 3 the figures "
      "mean nothing here");
  BenchCommitOptions& o = options->bench;
  const auto common = add_common_options(*commit, cli);
  auto* outstanding =
      commit->add_option("--outstanding", o.outstanding, "requests outstanding at a time; one step for each")
          ->delimiter(',')
          ->check(CLI::Range(1u, 4096u))
          ->capture_default_str();
  commit->add_option("--step-s", options->step_s, "seconds of each step")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  commit->add_option("--sustained-s", options->sustained_s, "seconds at the last step; 0: leave it out")
      ->check(CLI::Range(0, 86400))
      ->capture_default_str();
  auto* accounts = commit->add_option("--accounts", o.accounts, "accounts of the ledger")
                       ->check(CLI::Range(1u, 100'000'000u))
                       ->capture_default_str();
  commit->add_option("--requesters", o.requesters, "sessions that share the requests")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  commit
      ->add_option("--stalls", o.stalls,
                   "kill the primary this often under load, and measure the stall callers see")
      ->check(CLI::Range(0u, 10'000u))
      ->capture_default_str();
  commit->add_option("--stall-rate", o.stall_rate, "requests a second meanwhile")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  commit
      ->add_option("--resident-mib", options->resident_mib,
                   "measure stalls once more with members of this size")
      ->check(CLI::Range(0u, 1u << 20));
  commit->add_flag("--placement", o.placement, "measure on one core, and over two, instead of as it comes");
  commit->add_option(
      "--setting", o.settings,
      "a line of the pair's table in the configuration file, such as 'apply_every_ms = 50'; may be "
      "given more than once");
  commit->callback([common, options, outstanding, accounts, &run = cli.run] {
    if (common->quick) {
      constexpr std::uint32_t quick_accounts = 10'000;
      constexpr unsigned quick_runs = 2;
      if (outstanding->empty()) options->bench.outstanding = {1, 64};
      if (accounts->empty()) options->bench.accounts = quick_accounts;
      common->runs = std::min(common->runs, quick_runs);
      options->step_s = 1;
      options->sustained_s = 0;
    }
    run = [common, options] { return run_commit(*common, *options); };
  });
}

}  // namespace pollux
