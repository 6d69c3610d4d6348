// One cell of closed load, on every server that takes part in it.
#include <algorithm>
#include <map>

#include "run/format.h"
#include "groupware/groupware_items.h"
#include "groupware/groupware_runs.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
// A server that is slow gets more time, and fewer connections, so that no cell waits for it much longer than
// for others.
constexpr std::chrono::seconds part_max(10);
constexpr std::int64_t queue_ns_max = 5 * second_ns;
constexpr std::int64_t warm_by_itself_ns = 100'000'000;  // so slow that the first answer was warm-up enough
constexpr std::int64_t too_slow_ns =
    2 * second_ns;  // for more than one part, and for more than the fewest connections
constexpr std::chrono::milliseconds warm_up(200);
constexpr std::uint64_t answers_min = 3;

constexpr std::chrono::seconds drain_limit_ours(60), drain_limit_others(10);
constexpr std::string_view unanswered =
    "it keeps no connections, and leaves new ones unanswered when there are so many; see fewer connections";

void take(Lane& lane, ServerFigure& figure, unsigned connections, const HttpLoadResult& part) {
  figure.latency.merge(part.latency);
  figure.answered += part.answered;
  figure.failures += part.failed;
  figure.connects += part.connects;
  figure.parts_milli.push_back(part.per_second_milli());
  if (part.failed > 0) {
    figure.failed = true;
    figure.verdict = Verdict::invalid;
    figure.reason = count_text(part.failed) + " requests failed, the first: " + part.first_error;
  } else if (!part.drained && part.connects > connections) {
    lane.unanswered_at = connections;
    figure.verdict = Verdict::not_available;
    figure.reason = std::string(unanswered);
  } else if (!part.drained) {
    fail_with(lane, figure, {Code::unreachable, "some requests were not answered in time"});
  } else if (part.measured_answers == 0) {
    figure.verdict = Verdict::not_available;
    figure.reason =
        "too slow: no second answer within " + time_text(std::chrono::nanoseconds(part_max).count());
  }
}

void settle(ServerFigure& figure,
            const std::vector<std::pair<std::uint64_t, std::chrono::nanoseconds>>& parts) {
  if (!figure.usable()) return;
  std::uint64_t answers = 0;
  std::chrono::nanoseconds time{};
  for (const auto& [part_answers, part_time] : parts) {
    answers += part_answers;
    time += part_time;
  }
  figure.per_second_milli = rate_milli(answers, time);
  figure.p50_ns = figure.latency.percentile_ns(p50);
  figure.p99_ns = figure.latency.percentile_ns(p99);
  judge_parts(figure);
}

void add_note(ServerFigure& figure, const std::string& note) {
  if (note.empty() || figure.note.find(note) != std::string::npos) return;
  figure.note += (figure.note.empty() ? "" : "; ") + note;
}

}  // namespace

std::vector<ServerFigure> run_load_cell(GroupwareRun& run, const CellPlan& plan) {
  auto figures = figures_for(run, plan);
  std::map<std::string, RequestSource> sources;
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::chrono::nanoseconds>>> parts;
  const auto fewest = *std::ranges::min_element(run.options.connections);
  const auto leave_out = [&](ServerFigure& figure, std::int64_t one_ns) {
    if (one_ns <= too_slow_ns || plan.connections == fewest) return false;
    figure.verdict = Verdict::not_available;
    figure.reason = "one answer takes " + time_text(one_ns) + "; see fewer connections";
    return true;
  };
  for (auto& figure : figures) {
    if (!figure.usable()) continue;
    auto& lane = *lane_of(run, figure.server);
    if (lane.unanswered_at != 0 && plan.connections >= lane.unanswered_at) {
      figure.verdict = Verdict::not_available;
      figure.reason = std::string(unanswered);
      continue;
    }
    // Known from an earlier cell of the same requests: it is not asked for once more.
    if (leave_out(figure, lane.one_ns[plan.name])) continue;
    auto source = make_source(lane, plan, run.options.events);
    if (!source) {
      fail_with(lane, figure, source.error());
      continue;
    }
    lane.one_ns[plan.name] = source->one_ns;
    if (leave_out(figure, source->one_ns)) continue;
    add_note(figure, source->note);
    sources.emplace(figure.server, std::move(*source));
  }
  there_and_back(run, figures, [&](Lane& lane, ServerFigure& figure) {
    const auto& source = sources.at(lane.name);
    auto& done = parts[lane.name];
    if (source.one_ns > too_slow_ns && !done.empty()) return add_note(figure, "measured once");
    const auto one = std::max<std::int64_t>(1, source.one_ns);
    HttpLoadOptions load{.address = lane.server->address};
    load.connections =
        static_cast<unsigned>(std::clamp<std::int64_t>(queue_ns_max / one, 1, plan.connections));
    if (load.connections < plan.connections) {
      add_note(figure, "with " + count_text(load.connections) + " connections only: one answer takes " +
                           time_text(one));
    }
    load.request = source.request;
    load.duration = run.options.cell / 2;
    load.duration_max = std::max<std::chrono::nanoseconds>(load.duration, part_max);
    load.warm_up = one > warm_by_itself_ns ? std::chrono::nanoseconds(0)
                                           : std::min<std::chrono::nanoseconds>(warm_up, load.duration / 4);
    load.answers_min = std::max<std::uint64_t>(answers_min, load.connections);
    load.drain_limit = lane.running == nullptr ? drain_limit_ours : drain_limit_others;
    load.stop = &InterruptGuard::flag();
    const auto result = run_http_load(load);
    take(lane, figure, load.connections, result);
    done.emplace_back(result.measured_answers, result.measured);
  });
  for (auto& figure : figures) settle(figure, parts[figure.server]);
  return figures;
}

void fail_with(Lane& lane, ServerFigure& figure, const Error& error) {
  const bool late = error.code == Code::unreachable && lane.running != nullptr;
  figure.failed = !late;
  figure.verdict = late ? Verdict::not_available : Verdict::invalid;
  figure.reason = error.text;
  if (!late) return;
  lane.running->end();
  lane.server = nullptr;
  lane.not_available = "ended, since it did not answer in an earlier cell";
}

std::vector<ServerFigure> figures_for(const GroupwareRun& run, const CellPlan& plan) {
  std::vector<ServerFigure> figures;
  for (const auto& lane : run.lanes) {
    if (!takes_part(plan, lane.name, lane.dav)) continue;
    ServerFigure figure{.server = lane.name};
    if (lane.server == nullptr) {
      figure.verdict = Verdict::not_available;
      figure.reason = lane.not_available;
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

Lane* lane_of(GroupwareRun& run, std::string_view name) {
  const auto at = std::ranges::find(run.lanes, name, &Lane::name);
  return at == run.lanes.end() ? nullptr : &*at;
}

void there_and_back(GroupwareRun& run, std::vector<ServerFigure>& figures,
                    const std::function<void(Lane& lane, ServerFigure& figure)>& part) {
  const auto one = [&](ServerFigure& figure) {
    if (figure.usable() && !InterruptGuard::interrupted()) part(*lane_of(run, figure.server), figure);
  };
  for (auto& figure : figures) one(figure);
  for (auto figure = figures.rbegin(); figure != figures.rend(); ++figure) one(*figure);
}

Result<std::uint64_t> count_stored(const Lane& ours) {
  HttpLoadOptions load{.address = ours.server->address, .connections = 32};
  load.request = [&ours](std::uint64_t n, HttpRequest& into) {
    into.bytes = ours.server->request("GET", ours.server->path(new_collection, item_name(n)));
    into.expected = {.statuses = {200}, .body_bytes = item_sizes[0], .etag = true};
  };
  load.warm_up = {};
  load.duration = load.duration_max = std::chrono::hours(1);
  load.requests_max = ours.stored;
  load.stop = &InterruptGuard::flag();
  if (ours.stored == 0) return 0;
  const auto result = run_http_load(load);
  if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
  return result.answered;
}

}  // namespace pollux
