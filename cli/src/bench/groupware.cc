#include "pollux/bench/groupware.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "bench/add.h"

namespace pollux {

namespace {

constexpr std::int64_t cell_ms_min = 100, cell_ms_max = 3'600'000;

// "0.5" as 500 milliseconds, without a detour over floating point; none if it is no such number.
std::optional<std::int64_t> milliseconds_of(const std::string& seconds) {
  const auto point = std::min(seconds.find('.'), seconds.size());
  const std::string whole = seconds.substr(0, point);
  std::string fraction = point < seconds.size() ? seconds.substr(point + 1) : "";
  constexpr std::size_t whole_digits_max = 4, fraction_digits = 3;
  if (whole.empty() || whole.size() > whole_digits_max || fraction.size() > fraction_digits)
    return std::nullopt;
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
  std::string seconds = "1";
  std::vector<std::string> against;
  CLI::Option *seconds_given = nullptr, *events_given = nullptr, *connections_given = nullptr,
              *against_given = nullptr;
};

// What --quick makes smaller, unless it was given.
constexpr const char* quick_seconds = "0.5";
constexpr std::uint64_t quick_events = 1000;
constexpr unsigned quick_connections = 10;

// While the command line is there to be asked what was given.
void settle(GroupwareOptions& options, const BenchCommon& common) {
  auto& bench = options.bench;
  if (common.quick) {
    if (options.seconds_given->empty()) options.seconds = quick_seconds;
    if (options.events_given->empty()) bench.events = quick_events;
    if (options.connections_given->empty()) bench.connections = {quick_connections};
  }
  bench.cell = std::chrono::milliseconds(milliseconds_of(options.seconds).value());
  if (!options.against_given->empty()) {
    bench.against = options.against;
    std::erase(*bench.against, "none");
  }
}

}  // namespace

void add_bench_groupware(BenchCli& cli) {
  const auto options = std::make_shared<GroupwareOptions>();
  CLI::App* groupware = cli.bench.add_subcommand("groupware",
                                                 "How fast a groupware pair answers over HTTP here, beside "
                                                 "other servers on the same disk, in one run. Starts "
                                                 "everything in a temporary directory");
  const auto common = add_common_options(*groupware, cli);
  BenchGroupwareOptions& o = options->bench;
  options->events_given = groupware->add_option("--events", o.events, "in the calendar that is searched")
                              ->check(CLI::Range(1u, 100'000u))
                              ->capture_default_str();
  options->connections_given =
      groupware
          ->add_option("--connections", o.connections, "kept connections; one cell of each kind for each")
          ->delimiter(',')
          ->check(CLI::Range(1u, 1000u))
          ->capture_default_str();
  options->seconds_given =
      groupware->add_option("--seconds", options->seconds, "of load on each server in each cell")
          ->check(CLI::Validator(check_cell_seconds, ""))
          ->capture_default_str();
  auto names = groupware_other_servers();
  names.emplace_back("none");
  options->against_given =
      groupware
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
  groupware->callback([options, common, &run = cli.run] {
    settle(*options, *common);
    run = [options, common] { return bench_groupware(*common, options->bench); };
  });
}

}  // namespace pollux
