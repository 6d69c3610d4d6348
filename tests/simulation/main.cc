// pollux_simulation: runs seeds of the simulator, one or many.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include "simulation/simulation.h"

namespace {

using namespace pollux::testing;

constexpr const char* usage =
    "pollux_simulation: a pair in simulated worlds, each made from a seed\n"
    "  --seeds N       how many seeds (default 2000)\n"
    "  --from N        the first (default 1)\n"
    "  --seed N        this one only\n"
    "  --minutes M     as many seeds as fit into this time, instead of --seeds\n"
    "  --trace         tell everything that happens (with --seed)\n"
    "  --keep-going    report every failing seed, not the first only\n"
    "  --list-probes   print the rare branches and how often each was reached\n"
    "Exit code: 0 all is well, 1 a rule was broken or a probe was never reached, 2 wrong usage.\n";

struct Options {
  std::uint64_t seeds = 2000, from = 1, minutes = 0;
  bool one = false, trace = false, keep_going = false, list_probes = false;
};

bool parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    std::uint64_t* number = nullptr;
    if (arg == "--trace") options->trace = true;
    else if (arg == "--keep-going") options->keep_going = true;
    else if (arg == "--list-probes") options->list_probes = true;
    else if (arg == "--seeds") number = &options->seeds;
    else if (arg == "--from") number = &options->from;
    else if (arg == "--minutes") number = &options->minutes;
    else if (arg == "--seed") {
      number = &options->from;
      options->one = true;
      options->seeds = 1;
    } else {
      return false;
    }
    if (number == nullptr) continue;
    if (++i == argc) return false;
    const char* end = argv[i] + std::strlen(argv[i]);
    const auto [rest, error] = std::from_chars(argv[i], end, *number);
    if (error != std::errc{} || rest != end) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, &options)) {
    std::fputs(usage, stderr);
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  const auto until = begun + std::chrono::minutes(options.minutes);
  ProbeCounts probes;
  std::uint64_t done = 0, failed = 0, steps = 0, operations = 0, records = 0;
  for (std::uint64_t seed = options.from; options.minutes > 0 ? Clock::now() < until : done < options.seeds; ++seed) {
    const SeedResult result = run_seed(seed, options.trace ? &std::cout : nullptr);
    ++done;
    probes.add(result.probes);
    steps += result.steps;
    operations += result.operations;
    records += result.records;
    if (!result.ok) {
      ++failed;
      std::fflush(stdout);
      std::fprintf(stderr, "seed %llu: %s\n  replay: %s\n", static_cast<unsigned long long>(seed), result.what.c_str(),
                   replay_command(seed).c_str());
      if (!options.keep_going) break;
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  std::printf("%llu seeds, %llu failed; %llu events, %llu operations, %llu records in %.1f s (%.1f ms a seed)\n",
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(failed),
              static_cast<unsigned long long>(steps), static_cast<unsigned long long>(operations),
              static_cast<unsigned long long>(records), seconds, done == 0 ? 0.0 : seconds * 1000 / static_cast<double>(done));
  if (options.list_probes) std::fputs(probes.list().c_str(), stdout);
  if (failed > 0) return 1;
  const std::string missing = options.one || done < 1000 ? "" : probes.never_reached();
  if (missing.empty()) return 0;
  std::fprintf(stderr, "never reached:\n%s", missing.c_str());
  return 1;
}
