#include "pollux/bench/http.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_http(BenchCli& cli) {
  auto& http = *cli.bench.add_subcommand(
      "http", "Small requests over HTTP to a groupware pair, as ab would send them");
  const auto options = std::make_shared<BenchHttpOptions>();
  const auto common = add_common_options(http, cli);
  http.add_option("--operation", options->operations, "what is asked for; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(http_operations()));
  http.add_option("--clients", options->clients, "at the same time")
      ->delimiter(',')
      ->check(CLI::Range(1u, 10'000u))
      ->capture_default_str();
  http.add_option_function<std::vector<std::string>>(
          "--keep-alive",
          [options](const std::vector<std::string>& words) {
            options->keep_alive.clear();
            for (const auto& word : words) options->keep_alive.push_back(word == "yes");
          },
          "one connection for all requests of a client, or one for each; default: both")
      ->delimiter(',')
      ->check(CLI::IsMember({"yes", "no"}));
  http.add_option("--requests", options->requests, "in each run")
      ->check(CLI::Range(1u, 100'000'000u))
      ->capture_default_str();
  http.add_option("--rate", options->rate,
                  "requests a second, each timed from when it was due; 0: as fast as answered")
      ->check(CLI::Range(0u, 10'000'000u))
      ->capture_default_str();
  http.add_option_function<unsigned>(
          "--limit-ms", [options](unsigned ms) { options->limit = std::chrono::milliseconds(ms); },
          "a run ends early after so long")
      ->check(CLI::Range(10u, 3'600'000u))
      ->default_str("10000");
  http.add_option("--setting", options->settings,
                  "a line of the pair's table in the configuration file; may be given more than once");
  http.add_option("--gateway-setting", options->gateway_settings,
                  "a line of the gateway's table; may be given more than once");
  http.callback([common, options, &run = cli.run] {
    if (common->quick) make_quick(*options);
    run = [common, options] { return bench_http(*common, *options); };
  });
}

}  // namespace pollux
