// The same GET by a load generator that is not ours.
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "run/format.h"
#include "groupware/groupware_items.h"
#include "groupware/groupware_runs.h"
#include "run/interrupt.h"
#include "groupware/outside_load.h"
#include "pollux/bench/spawned_pair.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds beyond_limit(30);
constexpr std::uint64_t ab_requests_max = 4'000'000;  // it sets memory aside for each

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Tool {
  std::string name, program, package;
};
Tool tool_of(CellKind kind) {
  return kind == CellKind::wrk ? Tool{"wrk", find_program("wrk"), "wrk"}
                               : Tool{"ab", find_program("ab"), "apache2-utils"};
}

Result<OutsideFigure> measure_once(const CellPlan& plan, const Tool& tool, const ServerUnderTest& server,
                                   std::chrono::seconds duration, const std::filesystem::path& directory) {
  const auto output = directory / "outside.out", percentiles = directory / "outside.csv";
  const auto url = "http://" + server.address + server.path(item_collection(plan.item_bytes), item_name(0));
  const auto connections = std::to_string(plan.connections), seconds = std::to_string(duration.count());
  std::string authorization = server.authorization;
  while (!authorization.empty() && (authorization.back() == '\n' || authorization.back() == '\r'))
    authorization.pop_back();
  std::vector<std::string> argv;
  if (plan.kind == CellKind::wrk) {
    argv = {tool.program, "-t2", "-c" + connections, "-d" + seconds + "s",
            "--latency",  "-H",  authorization,      url};
  } else {
    argv = {tool.program,
            "-q",
            "-k",
            "-c",
            connections,
            "-t",
            seconds,
            "-n",
            std::to_string(ab_requests_max),
            "-e",
            percentiles.string(),
            "-H",
            authorization,
            url};
  }
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
  auto child = ChildProcess::start({.argv = argv, .environment = {}, .output = output});
  if (!child) return std::unexpected(child.error());
  const auto ended = [&child] { return !(*child)->running(); };
  SpawnedPair::wait_until(ended, duration + beyond_limit, &InterruptGuard::flag());
  if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
  const auto status = (*child)->wait(std::chrono::milliseconds(0));
  if (!status) return fail(Code::unreachable, tool.name + " did not end in time");
  const auto text = text_of(output);
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0)
    return fail(Code::io_error, tool.name + " failed: " + text.substr(0, text.find('\n')));
  return plan.kind == CellKind::wrk ? parse_wrk(text) : parse_ab(text, text_of(percentiles));
}

void take(ServerFigure& figure, const Tool& tool, const Result<OutsideFigure>& part) {
  if (!part || part->failures > 0) {
    figure.failed = true;
    figure.verdict = Verdict::invalid;
    figure.reason =
        part ? tool.name + " counts " + count_text(part->failures) + " failures" : part.error().text;
    return;
  }
  figure.parts_milli.push_back(part->per_second_milli);
  figure.answered += part->answered;
  // Its percentiles can't be merged: the worse of the parts is told.
  const auto worse = [](std::optional<std::int64_t>& has, std::optional<std::int64_t> told) {
    if (told) has = std::max(has.value_or(0), *told);
  };
  worse(figure.p50_ns, part->p50_ns);
  worse(figure.p99_ns, part->p99_ns);
}

}  // namespace

std::vector<ServerFigure> run_outside_cell(GroupwareRun& run, const CellPlan& plan) {
  auto figures = figures_for(run, plan);
  const auto tool = tool_of(plan.kind);
  if (tool.program.empty()) {
    for (auto& figure : figures) {
      figure.verdict = Verdict::not_available;
      figure.reason = tool.name + " is not installed (apt-get install " + tool.package + ")";
    }
    return figures;
  }
  const auto duration = std::max(std::chrono::seconds(1),
                                 std::chrono::duration_cast<std::chrono::seconds>(run.options.cell / 2));
  there_and_back(run, figures, [&](Lane& lane, ServerFigure& figure) {
    take(figure, tool, measure_once(plan, tool, *lane.server, duration, run.pair.spawned().home()));
  });
  for (auto& figure : figures) {
    if (!figure.usable() || figure.parts_milli.empty()) continue;
    std::uint64_t sum = 0;
    for (const auto part : figure.parts_milli) sum += part;
    figure.per_second_milli = sum / figure.parts_milli.size();
    judge_parts(figure);
  }
  return figures;
}

}  // namespace pollux
