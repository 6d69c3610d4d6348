#include "pollux/bench/disk.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_disk(BenchCli& cli) {
  auto& disk = *cli.bench.add_subcommand(
      "disk", "Random accesses to a file of 100-byte records on this disk, and whether a flush there is one");
  const auto options = std::make_shared<BenchDiskOptions>();
  const auto common = add_common_options(disk, cli);
  disk.add_option("--file", options->files, "a plain file, LMDB by key, or the audit trail; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember({"raw", "lmdb", "trail"}));
  disk.add_option("--operation", options->operations, "default: both")
      ->delimiter(',')
      ->check(CLI::IsMember({"read", "write"}));
  disk.add_option("--sync", options->syncs, "how writes are made durable; default: all that the file has")
      ->delimiter(',')
      ->check(CLI::IsMember({"none", "dsync", "fdatasync"}));
  disk.add_option("--batch", options->batches, "records written before a flush; default: 1,16,256")
      ->delimiter(',')
      ->check(CLI::Range(1u, 100'000u));
  disk.add_option("--accesses", options->accesses, "in each run")
      ->check(CLI::Range(1u, 1'000'000'000u))
      ->capture_default_str();
  disk.add_option("--records", options->records, "of 100 bytes in the file")
      ->check(CLI::Range(1u, 100'000'000u))
      ->capture_default_str();
  disk.add_option_function<unsigned>(
          "--limit-ms", [options](unsigned ms) { options->limit = std::chrono::milliseconds(ms); },
          "a run ends early after so long")
      ->check(CLI::Range(10u, 3'600'000u))
      ->default_str("5000");
  disk.callback([common, options, &run = cli.run] {
    if (common->quick) make_quick(*options);
    run = [common, options] { return bench_disk(*common, *options); };
  });
}

}  // namespace pollux
