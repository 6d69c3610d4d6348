#include "pollux/bench/compare.h"

#include <cstdio>
#include <iostream>

#include "compare/abba.h"
#include "compare/compare_print.h"
#include "pollux/bench/child_process.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

int complain(const Error& error) {
  std::fprintf(stderr, "bench compare: %s\n", error.text.c_str());
  return error.code == Code::precondition_failed ? BenchExit::different : BenchExit::failed;
}

int tell(const Comparison& comparison, BenchForm form) {
  print_comparison(comparison, form, std::cout);
  std::cout.flush();
  if (!std::cout) return complain({Code::io_error, "can't write to standard output"});
  return comparison.untrusted() ? BenchExit::invalid : BenchExit::ok;
}

int compare_files(const CompareOptions& options) {
  auto a = read_side(options.a);
  if (!a) return complain(a.error());
  auto b = read_side(options.b);
  if (!b) return complain(b.error());
  const auto comparison =
      compare_sides(std::move(*a), std::move(*b), {.factors = options.factors, .keys_may_differ = false});
  return comparison ? tell(*comparison, options.form) : complain(comparison.error());
}

Result<void> keep(const Abba& abba, const std::filesystem::path& prefix) {
  if (prefix.empty()) return {};
  for (const auto& [side, end] : {std::pair{&abba.a, "-a.json"}, std::pair{&abba.b, "-b.json"}}) {
    if (side->files.empty()) continue;
    const std::filesystem::path file = prefix.string() + end;
    if (auto written = write_result(side->result, file); !written) return written;
    std::fprintf(stderr, "written to %s\n", file.c_str());
  }
  return {};
}

int compare_commands(const CompareOptions& options) {
  const InterruptGuard interrupt;
  auto abba = [&]() -> Result<Abba> {
    const auto home = TemporaryDirectory::make(std::filesystem::temp_directory_path(), "pollux-compare-");
    if (!home) return std::unexpected(home.error());
    Progress progress;
    return run_abba(options, (*home)->path(), progress);
  }();
  if (!abba) return complain(abba.error());
  if (auto kept = keep(*abba, options.keep); !kept) return complain(kept.error());
  const bool complete = abba->complete;
  if (!complete) {
    std::fprintf(stderr, "interrupted; the command that ran has been ended\n");
    if (abba->a.files.empty() || abba->b.files.empty()) return BenchExit::interrupted;
    abba->a.result.complete = abba->b.result.complete = false;
  }
  const auto comparison = compare_sides(std::move(abba->a), std::move(abba->b),
                                        {.factors = options.factors, .keys_may_differ = true});
  if (!comparison) return complain(comparison.error());
  const int code = tell(*comparison, options.form);
  return complete ? code : BenchExit::interrupted;
}

}  // namespace

int bench_compare(const CompareOptions& options) {
  return options.commands.empty() ? compare_files(options) : compare_commands(options);
}

}  // namespace pollux
