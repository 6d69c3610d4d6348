#include "pollux/bench/memory.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_memory(BenchCli& cli) {
  CLI::App* memory = cli.bench.add_subcommand(
      "memory",
      "Copy, scale, add and triad over arrays that no cache holds, of integers and of floating point, on one "
      "thread and on one for each CPU");
  const auto common = add_common_options(*memory, cli);
  const auto options = std::make_shared<MemoryOptions>();
  constexpr std::uint64_t least = 1u << 20, most = 512u << 20;
  memory->add_option_function<std::string>(
      "--array", [options](const std::string& size) { options->array_bytes = bytes_of(size, least, most); },
      "bytes of each of the three arrays, such as 256M; else four times the last-level cache, within limits");
  memory
      ->add_option_function<unsigned>(
          "--least-ms", [options](unsigned ms) { options->least = std::chrono::milliseconds(ms); },
          "that each loop runs, each run")
      ->check(CLI::Range(10u, 3'600'000u))
      ->default_str("300");
  memory->callback([common, options, &run = cli.run] {
    if (common->quick) make_quick(*options);
    run = [common, options] { return bench_memory(*common, *options); };
  });
}

}  // namespace pollux
