#include "pollux/bench/ipc.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

namespace {

void add_what(CLI::App& ipc, const std::shared_ptr<BenchIpcOptions>& options) {
  ipc.add_option("--transport", options->transports, "what carries the messages; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(ipc_transports()));
  ipc.add_option_function<std::vector<std::string>>(
         "--size",
         [options](const std::vector<std::string>& sizes) {
           for (const auto& size : sizes) options->bytes.push_back(bytes_of(size, 1, 64u << 20));
         },
         "bytes of a message, such as 64,4K,1M; default: 16 B to 1 MiB")
      ->delimiter(',');
  ipc.add_option("--place", options->places, "where the two ends run; default: all that this host has")
      ->delimiter(',')
      ->check(CLI::IsMember(ipc_places()));
  ipc.add_option("--peer", options->peer,
                 "HOST:PORT of 'pollux bench peer' on another host: measure to there");
}

}  // namespace

void add_bench_ipc(BenchCli& cli) {
  auto& ipc =
      *cli.bench.add_subcommand("ipc",
                                "How long a message takes from a requester to a server and back, by size, by "
                                "what carries it and by where they run");
  const auto options = std::make_shared<BenchIpcOptions>();
  const auto common = add_common_options(ipc, cli);
  add_what(ipc, options);
  ipc.add_option("--messages", options->messages, "in each run")
      ->check(CLI::Range(1u, 1'000'000'000u))
      ->capture_default_str();
  ipc.add_option_function<unsigned>(
         "--limit-ms", [options](unsigned ms) { options->limit = std::chrono::milliseconds(ms); },
         "a run ends early after so long")
      ->check(CLI::Range(10u, 3'600'000u))
      ->default_str("2000");
  ipc.add_option_function<unsigned>(
         "--give-up-ms", [options](unsigned ms) { options->give_up = std::chrono::milliseconds(ms); },
         "no answer for so long: the other end is given up")
      ->check(CLI::Range(100u, 3'600'000u))
      ->default_str("10000");
  ipc.add_option("--rate", options->rate,
                 "messages a second, each timed from when it was due; 0: one after the other")
      ->check(CLI::Range(0u, 10'000'000u))
      ->capture_default_str();
  ipc.callback([common, options, &run = cli.run] {
    if (common->quick) make_quick(*options);
    run = [common, options] { return bench_ipc(*common, *options); };
  });
}

}  // namespace pollux
