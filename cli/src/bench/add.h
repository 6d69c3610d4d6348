// What the subcommands of `pollux bench` have in common: one function, and one file, each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace CLI {
class App;
}

namespace pollux {

struct BenchCli {
  CLI::App& bench;
  std::function<int()>& run;           ///< set by the subcommand that was chosen
  std::vector<std::string> arguments;  ///< of this call, after `bench`
};

/// Options of every measurement. What is returned is filled in when the command line has been read; it lives
/// as long as someone keeps it.
std::shared_ptr<BenchCommon> add_common_options(CLI::App& subcommand, const BenchCli& cli);

/// "4K", "1M", "100": bytes, K and M being 1024 and 1024^2. Throws CLI::ValidationError with a clear line.
std::uint64_t bytes_of(const std::string& size, std::uint64_t least, std::uint64_t most);

void add_bench_all(BenchCli& cli);
void add_bench_commit(BenchCli& cli);
void add_bench_compare(BenchCli& cli);
void add_bench_cpu(BenchCli& cli);
void add_bench_disk(BenchCli& cli);
void add_bench_file(BenchCli& cli);
void add_bench_groupware(BenchCli& cli);
void add_bench_host(BenchCli& cli);
void add_bench_http(BenchCli& cli);
void add_bench_ipc(BenchCli& cli);
void add_bench_memory(BenchCli& cli);
void add_bench_noise(BenchCli& cli);
void add_bench_office(BenchCli& cli);
void add_bench_peer(BenchCli& cli);
void add_bench_pocket(BenchCli& cli);
void add_bench_report(BenchCli& cli);
void add_bench_rerun(BenchCli& cli);
void add_bench_selftest(BenchCli& cli);
void add_bench_tcp(BenchCli& cli);

}  // namespace pollux
