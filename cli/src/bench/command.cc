#include "bench/command.h"

#include <CLI/CLI.hpp>

#ifdef POLLUX_WITH_BENCH
#include "bench/add.h"
#endif

namespace pollux {

#ifdef POLLUX_WITH_BENCH

void add_bench(CLI::App& app, std::vector<std::string> arguments, std::function<int()>& run) {
  CLI::App* bench = app.add_subcommand("bench", "Measure this host");
  bench->require_subcommand(1);
  BenchCli cli{.bench = *bench, .run = run, .arguments = std::move(arguments)};
  add_bench_all(cli);
  add_bench_commit(cli);
  add_bench_compare(cli);
  add_bench_cpu(cli);
  add_bench_disk(cli);
  add_bench_file(cli);
  add_bench_groupware(cli);
  add_bench_host(cli);
  add_bench_http(cli);
  add_bench_ipc(cli);
  add_bench_memory(cli);
  add_bench_noise(cli);
  add_bench_office(cli);
  add_bench_peer(cli);
  add_bench_pocket(cli);
  add_bench_report(cli);
  add_bench_rerun(cli);
  add_bench_selftest(cli);
  add_bench_tcp(cli);
}

#else

void add_bench(CLI::App&, std::vector<std::string>, std::function<int()>&) {}
void add_doctor(CLI::App&, const Globals&, std::function<int()>&) {}

#endif

}  // namespace pollux
