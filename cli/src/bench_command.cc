#include "bench_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#ifdef POLLUX_WITH_BENCH
#include "located.h"
#include "pollux/bench/commit.h"
#include "pollux/bench/groupware.h"
#endif

namespace pollux {

#ifdef POLLUX_WITH_BENCH

namespace {

struct CommitOptions {
  BenchCommitOptions bench;
  std::string directory = ".";
  long long step_s = 3, sustained_s = 10;
  std::uint64_t resident_mib = 0;
};

int run_commit(CommitOptions& options) {
  options.bench.command = program_path();
  options.bench.directory = options.directory;
  options.bench.step = std::chrono::seconds(options.step_s);
  options.bench.sustained = std::chrono::seconds(options.sustained_s);
  options.bench.resident_bytes = options.resident_mib << 20;
  return bench_commit(options.bench);
}

constexpr std::int64_t cell_ms_min = 100, cell_ms_max = 3'600'000;

// "0.5" as 500 milliseconds, without a detour over floating point; none if it is no such number.
std::optional<std::int64_t> milliseconds_of(const std::string& seconds) {
  const auto point = std::min(seconds.find('.'), seconds.size());
  const std::string whole = seconds.substr(0, point);
  std::string fraction = point < seconds.size() ? seconds.substr(point + 1) : "";
  constexpr std::size_t whole_digits_max = 4, fraction_digits = 3;
  if (whole.empty() || whole.size() > whole_digits_max || fraction.size() > fraction_digits) return std::nullopt;
  fraction.resize(fraction_digits, '0');
  const auto digits = whole + fraction;
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoll(digits);
}

std::string check_cell_seconds(const std::string& text) {
  const auto ms = milliseconds_of(text);
  return ms && *ms >= cell_ms_min && *ms <= cell_ms_max
             ? ""
             : text + " is no number of seconds from 0.1 to 3600, such as 0.5";
}

struct GroupwareOptions {
  BenchGroupwareOptions bench;
  std::string directory = ".";
  std::string seconds = "1";
  std::vector<std::string> against;
  CLI::Option *seconds_given = nullptr, *events_given = nullptr, *connections_given = nullptr, *against_given = nullptr;
};

// What --quick makes smaller, unless it was given.
constexpr const char* quick_seconds = "0.5";
constexpr std::uint64_t quick_events = 1000;
constexpr unsigned quick_connections = 10;

// While the command line is there to be asked what was given.
void settle(GroupwareOptions& options) {
  auto& bench = options.bench;
  if (bench.quick) {
    if (options.seconds_given->empty()) options.seconds = quick_seconds;
    if (options.events_given->empty()) bench.events = quick_events;
    if (options.connections_given->empty()) bench.connections = {quick_connections};
  }
  bench.command = program_path();
  bench.directory = options.directory;
  bench.cell = std::chrono::milliseconds(milliseconds_of(options.seconds).value());
  if (!options.against_given->empty()) {
    bench.against = options.against;
    std::erase(*bench.against, "none");
  }
}

void add_groupware(CLI::App& bench, const std::shared_ptr<GroupwareOptions>& options, std::function<int()>& run) {
  CLI::App* groupware = bench.add_subcommand(
      "groupware",
      "How fast a groupware pair answers over HTTP here, beside other servers on the same disk, in one run. Starts "
      "everything in a temporary directory. Exit codes: 0 measured, 1 could not measure or the pair failed, 3 the "
      "figures mean nothing here");
  BenchGroupwareOptions& o = options->bench;
  groupware->add_option("--directory", options->directory, "everything is stored on the disk this is on")
      ->capture_default_str();
  options->events_given = groupware->add_option("--events", o.events, "in the calendar that is searched")
                              ->check(CLI::Range(1u, 100'000u))
                              ->capture_default_str();
  options->connections_given =
      groupware->add_option("--connections", o.connections, "kept connections; one cell of each kind for each")
          ->delimiter(',')
          ->check(CLI::Range(1u, 1000u))
          ->capture_default_str();
  options->seconds_given =
      groupware->add_option("--seconds", options->seconds, "of load on each server in each cell")
          ->check(CLI::Validator(check_cell_seconds, ""))
          ->capture_default_str();
  groupware->add_flag("--quick", o.quick,
                      "short cells, 1,000 events and 10 connections, unless given: to see that it works");
  auto names = groupware_other_servers();
  names.emplace_back("none");
  options->against_given = groupware
                               ->add_option("--against", options->against,
                                            "other servers to measure in turn with ours; default: those installed")
                               ->delimiter(',')
                               ->check(CLI::IsMember(names));
  groupware->add_option("--cells", o.kinds, "kinds of cells; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(groupware_cell_kinds()));
  groupware->add_option("--setting", o.settings,
                        "a line of the pair's table in the configuration file; may be given more than once");
  groupware->add_option("--gateway-setting", o.gateway_settings,
                        "a line of the gateway's table, such as 'threads = 2'; may be given more than once");
  groupware->add_flag("--json", o.json, "the report as JSON");
  groupware->callback([options, &run] {
    settle(*options);
    run = [options] { return bench_groupware(options->bench); };
  });
}

}  // namespace

std::shared_ptr<void> add_bench(CLI::App& app, std::function<int()>& run) {
  auto options = std::make_shared<CommitOptions>();
  CLI::App* bench = app.add_subcommand("bench", "Measure this host");
  bench->require_subcommand(1);
  CLI::App* commit = bench->add_subcommand(
      "commit",
      "What a commit costs here, as a ratio to a plain flush of the disk. Starts a pair of its own in a "
      "temporary directory. Exit codes: 0 measured, 1 could not measure or the pair failed, 3 the figures "
      "mean nothing here");
  BenchCommitOptions& o = options->bench;
  commit->add_option("--directory", options->directory, "the disk this is on is measured")
      ->capture_default_str();
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
  commit->add_option("--accounts", o.accounts, "accounts of the ledger")
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
  commit->add_option("--setting", o.settings,
                     "a line of the pair's table in the configuration file, such as 'apply_every_ms = 50'; may be "
                     "given more than once");
  commit->add_flag("--json", o.json, "the report as JSON");
  commit->callback([options, &run] { run = [options] { return run_commit(*options); }; });
  add_groupware(*bench, std::make_shared<GroupwareOptions>(), run);
  return options;
}

#else

std::shared_ptr<void> add_bench(CLI::App&, std::function<int()>&) { return {}; }

#endif

}  // namespace pollux
