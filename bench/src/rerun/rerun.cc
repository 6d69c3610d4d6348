#include "pollux/bench/rerun.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "pollux/bench/child_process.h"
#include "pollux/bench/compare.h"
#include "rerun/rerun_arguments.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

int complain(const std::string& text) {
  std::fprintf(stderr, "bench rerun: %s\n", text.c_str());
  return BenchExit::failed;
}

std::vector<std::string> whole_call(const RerunOptions& options, const std::vector<std::string>& arguments) {
  std::vector<std::string> call = {options.command, "bench"};
  call.insert(call.end(), arguments.begin(), arguments.end());
  return call;
}

// We become the measurement: its progress, its output, its exit code.
int become(std::vector<std::string> call) {
  std::vector<char*> argv;
  for (auto& one : call) argv.push_back(one.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  execv(argv[0], argv.data());
  return complain("can't start " + call[0] + ": " + std::strerror(errno));
}

// Measures into a file, then compares; the measurement is ended in order if we are interrupted.
int measure_and_compare(const RerunOptions& options, std::vector<std::string> call) {
  const InterruptGuard interrupt;
  const auto home = TemporaryDirectory::make(std::filesystem::temp_directory_path(), "pollux-rerun-");
  if (!home) return complain(home.error().text);
  const auto file = options.output.empty() ? (*home)->path() / "new.json" : options.output;
  call.insert(call.end(), {"--output", file.string()});
  const auto log = (*home)->path() / "log";
  // Only the comparison goes to our standard output.
  const auto child = ChildProcess::start({.argv = call, .environment = {}, .input = {}, .output = log});
  if (!child) return complain(child.error().text);
  std::optional<int> status;
  constexpr std::chrono::milliseconds look_every(200);
  bool told = false;
  while (!(status = (*child)->wait(look_every))) {
    if (!InterruptGuard::interrupted() || told) continue;
    (*child)->signal(SIGINT);
    told = true;
  }
  if (told) return BenchExit::interrupted;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return complain("the measurement gave no result; call it by itself to see why");
  }
  CompareOptions comparison;
  comparison.a = {options.file};
  comparison.b = {file};
  return bench_compare(comparison);
}

}  // namespace

int bench_rerun(const RerunOptions& options) {
  const auto old = read_result(options.file);
  if (!old) return complain(old.error().text);
  const auto arguments = rerun_arguments(*old, options.measurements);
  if (!arguments) return complain(options.file.string() + ": " + arguments.error().text);
  auto call = whole_call(options, *arguments);
  std::string shown;
  for (const auto& argument : *arguments) shown += " " + argument;
  std::fprintf(stderr, "again: pollux bench%s\n", shown.c_str());
  if (options.compare) return measure_and_compare(options, std::move(call));
  if (!options.output.empty()) call.insert(call.end(), {"--output", options.output.string()});
  return become(std::move(call));
}

}  // namespace pollux
