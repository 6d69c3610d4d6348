#include "pollux/bench/tcp.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

namespace {

void add_what(CLI::App& tcp, const std::shared_ptr<BenchTcpOptions>& options) {
  tcp.add_option("--mode", options->modes, "default: both")
      ->delimiter(',')
      ->check(CLI::IsMember({"latency", "throughput"}));
  tcp.add_option("--library", options->libraries, "what sends; default: both")
      ->delimiter(',')
      ->check(CLI::IsMember({"raw", "zmq"}));
  tcp.add_option_function<std::vector<std::string>>(
         "--size",
         [options](const std::vector<std::string>& sizes) {
           for (const auto& size : sizes) options->bytes.push_back(bytes_of(size, 1, 64u << 20));
         },
         "bytes of a message, such as 64,4K,1M; default: 16 B to 256 KiB")
      ->delimiter(',');
  tcp.add_option_function<std::vector<std::string>>(
         "--buffers",
         [options](const std::vector<std::string>& sizes) {
           constexpr std::uint64_t least = 1024, most = 1u << 30;
           for (const auto& size : sizes) {
             options->buffers.push_back(
                 size == "auto" ? 0 : static_cast<std::uint32_t>(bytes_of(size, least, most)));
           }
         },
         "SO_SNDBUF and SO_RCVBUF, such as 8K,128K,auto; default: 8K to 128K and auto for throughput at 64K, "
         "else auto")
      ->delimiter(',');
  tcp.add_option_function<std::vector<std::string>>(
         "--nagle",
         [options](const std::vector<std::string>& words) {
           options->nodelay.clear();
           for (const auto& word : words) options->nodelay.push_back(word == "off");
         },
         "Nagle's algorithm; default: off")
      ->delimiter(',')
      ->check(CLI::IsMember({"on", "off"}));
  tcp.add_option("--busy-poll-us", options->busy_poll_us, "SO_BUSY_POLL")
      ->delimiter(',')
      ->check(CLI::Range(0u, 1'000'000u))
      ->capture_default_str();
  tcp.add_option("--sessions", options->sessions, "connections that share the messages of throughput")
      ->delimiter(',')
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
}

}  // namespace

void add_bench_tcp(BenchCli& cli) {
  auto& tcp =
      *cli.bench.add_subcommand("tcp", "Round trips and throughput over TCP, here or to another host");
  const auto options = std::make_shared<BenchTcpOptions>();
  const auto common = add_common_options(tcp, cli);
  add_what(tcp, options);
  tcp.add_option("--peer", options->peer,
                 "HOST:PORT of 'pollux bench peer' on another host: measure to there");
  tcp.add_option("--messages", options->messages, "of throughput, in each run")
      ->check(CLI::Range(1u, 1'000'000'000u))
      ->capture_default_str();
  tcp.add_option("--round-trips", options->round_trips, "of latency, in each run")
      ->check(CLI::Range(1u, 1'000'000'000u))
      ->capture_default_str();
  tcp.add_option("--rate", options->rate,
                 "round trips a second, each timed from when it was due; 0: one after the other")
      ->check(CLI::Range(0u, 10'000'000u))
      ->capture_default_str();
  tcp.add_option_function<unsigned>(
         "--limit-ms", [options](unsigned ms) { options->limit = std::chrono::milliseconds(ms); },
         "a run ends early after so long")
      ->check(CLI::Range(10u, 3'600'000u))
      ->default_str("2000");
  tcp.add_option_function<unsigned>(
         "--give-up-ms", [options](unsigned ms) { options->give_up = std::chrono::milliseconds(ms); },
         "no progress for so long: the other end is given up")
      ->check(CLI::Range(100u, 3'600'000u))
      ->default_str("10000");
  tcp.callback([common, options, &run = cli.run] {
    if (common->quick) make_quick(*options);
    run = [common, options] { return bench_tcp(*common, *options); };
  });
}

}  // namespace pollux
