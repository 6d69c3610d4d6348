// The cells of `pollux bench cpu`.
#include <functional>
#include <memory>

#include "cpu/compressor.h"
#include "cpu/cpu_plan.h"
#include "cpu/generated_text.h"
#include "cpu/ray_tracer.h"
#include "host/cpu_threads.h"
#include "host/pinned.h"
#include "pollux/bench/histogram.h"
#include "run/benchmark.h"
#include "run/interrupt.h"
#include "run/wide.h"

namespace pollux {

namespace {

using std::chrono::milliseconds;

// One unit of each: some 80 and 50 ms on a CPU of 2020.
constexpr std::size_t text_bytes = 1u << 20;
constexpr unsigned image_width = 640, image_height = 480;
// What they come to on every host.
constexpr std::size_t packed_bytes = 400'750;
constexpr std::uint64_t image_hash = 0xb5ded7fa14519a0d;

constexpr milliseconds takes_more_than_least(100);

// Does whole units until `least` has passed.
LoopRun loop(const std::function<void()>& unit, milliseconds least) {
  LoopRun run;
  const auto begin = monotonic_ns();
  do {
    unit();
    ++run.units;
    run.took_ns = monotonic_ns() - begin;
  } while (run.took_ns < std::chrono::nanoseconds(least).count() && !InterruptGuard::interrupted());
  return run;
}

std::int64_t scaled(std::int64_t per_second_milli, std::uint64_t size) {
  return static_cast<std::int64_t>(static_cast<Wide>(per_second_milli) * size / 1000);
}

Result<CellRun> run_compression(const std::string& text, const std::vector<int>& cpus, milliseconds least) {
  std::vector<LoopRun> runs(cpus.size());
  std::vector<std::string> packed(cpus.size());
  auto ran = run_on_cpus(
      cpus, [&](std::size_t i) { runs[i] = loop([&, i] { packed[i] = compress(text); }, least); });
  if (!ran) return std::unexpected(ran.error());
  CellRun run;
  for (const auto& one : packed) {
    if (one.size() != packed_bytes || decompress(one) != text) {
      run.wrong = {
          "a compressed text is not what it must be: this CPU, its memory or this program computes wrong"};
    }
  }
  const auto units = units_per_second_milli(runs);
  run.figures.push_back(
      number_figure("compressed", Unit::bytes_per_second, Better::more, scaled(units, text_bytes)));
  run.figures.push_back(number_figure("work units", Unit::per_second_milli, Better::more, units));
  run.found = {{"checked by", "decompression"}, {"unit", "1 MiB of generated text"}};
  return run;
}

Result<CellRun> run_tracing(const std::vector<int>& cpus, milliseconds least) {
  std::vector<LoopRun> runs(cpus.size());
  std::vector<std::uint64_t> hashes(cpus.size());
  auto ran = run_on_cpus(cpus, [&](std::size_t i) {
    runs[i] = loop([&, i] { hashes[i] = hash_of(trace_image(image_width, image_height)); }, least);
  });
  if (!ran) return std::unexpected(ran.error());
  CellRun run;
  for (const auto hash : hashes) {
    if (hash != image_hash)
      run.wrong = {"the image is not what it must be: this CPU or this program computes wrong"};
  }
  const auto units = units_per_second_milli(runs);
  // Pixels, as thousandths a second like every rate.
  run.figures.push_back(number_figure("pixels", Unit::per_second_milli, Better::more,
                                      units * static_cast<std::int64_t>(image_width * image_height)));
  run.figures.push_back(number_figure("work units", Unit::per_second_milli, Better::more, units));
  run.found = {{"checked by", "hash of the image"}, {"unit", "640 x 480 pixels"}};
  return run;
}

}  // namespace

std::int64_t units_per_second_milli(const std::vector<LoopRun>& runs) {
  constexpr Wide milli_ns = 1'000'000'000'000;
  std::int64_t sum = 0;
  for (const auto& run : runs) {
    if (run.took_ns > 0)
      sum += static_cast<std::int64_t>(run.units * milli_ns / static_cast<std::uint64_t>(run.took_ns));
  }
  return sum;
}

Result<std::vector<CellGroup>> plan_cpu(const BenchCommon& common, const CpuOptions& options,
                                        const std::filesystem::path&) {
  const auto text = std::make_shared<const std::string>(generated_text(text_bytes));
  constexpr milliseconds quick_least(300);
  const auto least = common.quick ? std::min(options.least, quick_least) : options.least;
  const auto all = usable_cpus();
  CellGroup group{.name = "cpu", .cells = {}};
  const auto add = [&](const char* work, const std::vector<int>& cpus, std::function<Result<CellRun>()> run) {
    group.cells.push_back({.bench = "cpu",
                           .workload = {{"work", work}, {"threads", std::to_string(cpus.size())}},
                           .not_available = "",
                           .takes = least + takes_more_than_least,
                           .run = std::move(run)});
  };
  std::vector<std::vector<int>> teams = {{all.front()}};
  if (all.size() > 1) teams.push_back(all);
  for (const auto& cpus : teams) {
    add("integer compression", cpus, [text, cpus, least] { return run_compression(*text, cpus, least); });
  }
  for (const auto& cpus : teams) {
    add("ray tracing", cpus, [cpus, least] { return run_tracing(cpus, least); });
  }
  return std::vector<CellGroup>{group};
}

int bench_cpu(const BenchCommon& common, const CpuOptions& options) {
  return run_benchmark(common, "cpu",
                       [&](const std::filesystem::path& home) { return plan_cpu(common, options, home); });
}

void make_quick(CpuOptions& options) {
  options.least = std::min(options.least, std::chrono::milliseconds(300));
}

}  // namespace pollux
