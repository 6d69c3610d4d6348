#include "run/benchmark.h"

#include <time.h>

#include <csignal>
#include <cstdio>
#include <iostream>

#include "host/canary.h"
#include "pollux/bench/child_process.h"
#include "run/host_change.h"
#include "run/interrupt.h"
#include "run/print.h"
#include "run/redact.h"
#include "run/threshold.h"

namespace pollux {

namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Refused before anything is measured: minutes later it would be too late to be told.
Result<std::vector<Threshold>> parse_all(const std::vector<std::string>& texts) {
  std::vector<Threshold> thresholds;
  for (const auto& text : texts) {
    auto threshold = parse_threshold(text);
    if (!threshold) return std::unexpected(threshold.error());
    thresholds.push_back(std::move(*threshold));
  }
  return thresholds;
}

int complain(const std::string& name, const Error& error, int code) {
  std::fprintf(stderr, "bench %s: %s\n", name.c_str(), error.text.c_str());
  return code;
}

}  // namespace

int check_thresholds(const BenchCommon& common, const std::string& name) {
  const auto thresholds = parse_all(common.thresholds);
  return thresholds ? BenchExit::ok : complain(name, thresholds.error(), BenchExit::usage);
}

BenchResult begin_result(const BenchCommon& common, const std::filesystem::path& directory) {
  BenchResult result;
  result.version = POLLUX_VERSION;
  result.started = utc_now();
  result.quick = common.quick;
  result.arguments = common.arguments;
  result.price_micro = common.price_micro;
  result.host = profile_host({.directory = directory.string(), .declared = common.declared});
  return result;
}

int finish_result(const BenchCommon& common, const std::string& name, const BenchResult& measured,
                  const std::function<void(std::ostream& out)>& print_table) {
  auto result = measured;
  if (common.redact) redact(result);
  if (print_table && common.form == BenchForm::table) {
    print_table(std::cout);
  } else {
    print_result(result, common.form, std::cout);
  }
  std::cout.flush();
  if (!common.output.empty()) {
    if (auto written = write_result(result, common.output); !written) {
      return complain(name, written.error(), BenchExit::failed);
    }
    std::fprintf(stderr, "written to %s\n", common.output.c_str());
  }
  if (!std::cout)
    return complain(name, {Code::io_error, "can't write to standard output"}, BenchExit::failed);
  bool met = true;
  const auto thresholds = parse_all(common.thresholds);
  if (!thresholds) return complain(name, thresholds.error(), BenchExit::usage);
  for (const auto& threshold : *thresholds) {
    const auto outcome = check_threshold(threshold, result);
    std::fprintf(stderr, "%s\n", outcome.text.c_str());
    met = met && outcome.met;
  }
  if (!result.complete) {
    std::fprintf(stderr, "interrupted; everything that was started has been ended and removed\n");
    return BenchExit::interrupted;
  }
  if (result.failed()) return BenchExit::failed;
  if (result.verdict() == Verdict::invalid) return BenchExit::invalid;
  return met ? BenchExit::ok : BenchExit::threshold;
}

int run_report(const BenchCommon& common, const std::string& name,
               const std::function<Result<ReportFound>(Progress& progress)>& measure) {
  if (const int code = check_thresholds(common, name); code != BenchExit::ok) return code;
  std::signal(SIGPIPE, SIG_IGN);
  const InterruptGuard interrupt;
  BenchResult result = begin_result(common, common.directory);
  const auto begin = monotonic_ns();
  Result<ReportFound> found = fail(Code::ok, "");
  const auto canary_before = canary_ns();
  {
    Progress progress;
    found = measure(progress);
  }
  const auto canary_after = canary_ns();
  if (InterruptGuard::interrupted() && !found) {
    std::fprintf(stderr, "interrupted; everything that was started has been ended and removed\n");
    return BenchExit::interrupted;
  }
  if (!found) return complain(name, found.error(), BenchExit::failed);
  result.cells = std::move(found->cells);
  note_host_change(result, canary_before, canary_after);
  result.took_ns = monotonic_ns() - begin;
  result.complete = !InterruptGuard::interrupted();
  return finish_result(common, name, result, found->print_table);
}

int run_benchmark(const BenchCommon& common, const std::string& name, const MakePlan& make_plan,
                  const FindMore& find_more) {
  if (const int code = check_thresholds(common, name); code != BenchExit::ok) return code;
  std::signal(SIGPIPE, SIG_IGN);  // a far end that dies is an error of its cell, not the end of us
  const InterruptGuard interrupt;
  BenchResult result;
  {
    // Everything is in here, so that nothing is left in the directory that was named.
    const auto home = TemporaryDirectory::make(common.directory, "pollux-bench-");
    if (!home) return complain(name, home.error(), BenchExit::failed);
    Progress progress;
    result = begin_result(common, (*home)->path());
    const auto begin = monotonic_ns();
    const auto plan = make_plan((*home)->path());
    if (!plan) return complain(name, plan.error(), BenchExit::usage);
    const auto canary_before = canary_ns();
    result.cells = run_plan(*plan, {.runs = common.runs}, progress);
    note_host_change(result, canary_before, canary_ns());
    if (find_more) find_more(result.cells, result.findings);
    result.took_ns = monotonic_ns() - begin;
    result.complete = !InterruptGuard::interrupted();
  }
  return finish_result(common, name, result);
}

}  // namespace pollux
