#include "compare/abba.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "pollux/bench/child_process.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

using std::chrono::milliseconds;

// The call's whole process group: a shell leaves its children behind when only it is ended.
void end_group(ChildProcess& child) {
  constexpr milliseconds to_tidy_up(5000), at_last(30'000);
  kill(-child.pid(), SIGTERM);
  if (child.wait(to_tidy_up)) {
    kill(-child.pid(), SIGKILL);  // who outlived the shell
    return;
  }
  kill(-child.pid(), SIGKILL);
  child.wait(at_last);
}

std::string last_line_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line, last;
  constexpr std::size_t shown_max = 300;
  while (std::getline(in, line)) {
    if (!line.empty()) last = line.substr(0, shown_max);
  }
  return last.empty() ? "it said nothing on standard error" : last;
}

Result<BenchResult> run_once(const std::string& command, std::chrono::seconds deadline,
                             const std::filesystem::path& directory, const std::string& name) {
  const auto said = directory / (name + ".json"), complained = directory / (name + ".log");
  // Its standard error goes elsewhere, so that the result stands alone on its standard output.
  const auto child =
      ChildProcess::start({.argv = {"/bin/sh", "-c", "exec 2>\"$0\"; eval \"$1\"", complained, command},
                           .environment = {},
                           .input = {},
                           .output = said});
  if (!child) return std::unexpected(child.error());
  const auto until = std::chrono::steady_clock::now() + deadline;
  std::optional<int> status;
  constexpr milliseconds look_every(100);
  while (!(status = (*child)->wait(look_every))) {
    if (InterruptGuard::interrupted()) {
      end_group(**child);
      return fail(Code::stopping, "interrupted");
    }
    if (std::chrono::steady_clock::now() < until) continue;
    end_group(**child);
    return fail(Code::deadline_exceeded, name + ": '" + command + "' was ended after " +
                                             std::to_string(deadline.count()) +
                                             " s; give it more with --deadline");
  }
  kill(-(*child)->pid(), SIGKILL);  // what it left in the background must not disturb the next call
  // Figures that can't be trusted, and missed thresholds, are a result all the same.
  auto result = read_result(said);
  if (result) return result;
  const auto how = WIFSIGNALED(*status) ? "was ended by signal " + std::to_string(WTERMSIG(*status))
                                        : "ended with exit code " + std::to_string(WEXITSTATUS(*status));
  return fail(Code::invalid_argument,
              name + ": '" + command + "' " + how +
                  " and printed no result on standard output (a bench command with --json "
                  "does): " +
                  last_line_of(complained));
}

}  // namespace

Result<Abba> run_abba(const CompareOptions& options, const std::filesystem::path& directory,
                      Progress& progress) {
  Abba out;
  constexpr unsigned calls_a_round = 4;
  const unsigned calls = options.rounds * calls_a_round;
  for (unsigned call = 0; call < calls; ++call) {
    const bool is_b = call % calls_a_round == 1 || call % calls_a_round == 2;
    auto& side = is_b ? out.b : out.a;
    const auto& command = options.commands.at(is_b ? 1 : 0);
    const auto name = std::string(is_b ? "B" : "A") + std::to_string(side.files.size() + 1);
    progress.phase("call " + std::to_string(call + 1) + " of " + std::to_string(calls) + ", " +
                   (is_b ? "B" : "A") + ": " + command);
    auto result = run_once(command, options.deadline, directory, name);
    if (!result && InterruptGuard::interrupted()) {
      out.complete = false;
      return out;
    }
    if (!result) return std::unexpected(result.error());
    if (auto added = add_to_side(side, *result, name); !added) return std::unexpected(added.error());
    if (InterruptGuard::interrupted()) {
      out.complete = false;
      return out;
    }
  }
  return out;
}

}  // namespace pollux
