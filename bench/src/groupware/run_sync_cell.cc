// sync-collection (RFC 6578) after one change among many items: the time of the report alone, one after the
// other.
#include <algorithm>

#include "run/format.h"
#include "groupware/groupware_items.h"
#include "groupware/groupware_runs.h"
#include "http/http_socket.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds part_max(10), answer_limit(120);
constexpr std::uint64_t answers_min = 3;
constexpr std::string_view xml_headers = "Depth: 1\r\nContent-Type: application/xml; charset=utf-8\r\n";

Error wrong(const ServerUnderTest& server, const std::string& what) {
  return {Code::invalid_argument, server.name + ": " + what};
}

// The whole collection's token: by an empty one, as a client begins.
Result<std::string> first_token(const ServerUnderTest& server, HttpConnection& connection) {
  const auto answer = connection.call(
      server.request("REPORT", server.collection_path(event_collection), sync_body(""), xml_headers),
      answer_limit);
  if (!answer) return std::unexpected(answer.error());
  const auto token = text_of_element(answer->body, "sync-token");
  if (answer->head.status == 207 && !token.empty()) return token;
  return std::unexpected(wrong(
      server, "the first sync-collection was answered with status " + std::to_string(answer->head.status)));
}

// Changes one event, then asks what has changed. Time of the latter, and the next token.
Result<std::int64_t> once(Lane& lane, std::uint64_t events, HttpConnection& connection, std::string& token) {
  const auto& server = *lane.server;
  const auto version = ++lane.version;
  const auto number = version * 7919 % events;  // a prime: scattered
  const auto put = connection.call(
      server.request("PUT", server.path(event_collection, event_name(number)), event_text(number, version),
                     "Content-Type: text/calendar; charset=utf-8\r\n"),
      answer_limit);
  if (!put) return std::unexpected(put.error());
  if (put->head.status < 200 || put->head.status > 204)
    return std::unexpected(
        wrong(server, "a change was answered with status " + std::to_string(put->head.status)));
  const auto report = connection.call(
      server.request("REPORT", server.collection_path(event_collection), sync_body(token), xml_headers),
      answer_limit);
  if (!report) return std::unexpected(report.error());
  token = text_of_element(report->body, "sync-token");
  if (report->head.status != 207 || token.empty())
    return std::unexpected(
        wrong(server, "sync-collection was answered with status " + std::to_string(report->head.status)));
  if (responses_in(report->body) != 1 || report->body.find(event_name(number)) == std::string::npos) {
    return std::unexpected(wrong(server, "sync-collection told of " +
                                             std::to_string(responses_in(report->body)) +
                                             " changes, where one was made"));
  }
  return report->time_ns;
}

}  // namespace

std::vector<ServerFigure> run_sync_cell(GroupwareRun& run, const CellPlan& plan) {
  auto figures = figures_for(run, plan);
  there_and_back(run, figures, [&](Lane& lane, ServerFigure& figure) {
    HttpConnection connection(lane.server->address);
    auto token = first_token(*lane.server, connection);
    if (!token) return fail_with(lane, figure, token.error());
    Histogram part;
    const auto begin = monotonic_ns();
    for (bool warm = false; !InterruptGuard::interrupted(); warm = true) {
      const auto time = once(lane, run.options.events, connection, *token);
      if (!time) return fail_with(lane, figure, time.error());
      if (warm) part.record_ns(*time);
      const auto since = std::chrono::nanoseconds(monotonic_ns() - begin);
      if (since >= part_max || (since >= run.options.cell / 2 && part.count() >= answers_min)) break;
    }
    figure.latency.merge(part);
    figure.answered += part.count();
    if (part.mean_ns() > 0)
      figure.parts_milli.push_back(rate_milli(1, std::chrono::nanoseconds(part.mean_ns())));
  });
  for (auto& figure : figures) {
    if (!figure.usable()) continue;
    if (figure.latency.count() == 0) {
      figure.verdict = Verdict::not_available;
      figure.reason =
          "too slow: no second answer within " + time_text(std::chrono::nanoseconds(part_max).count());
      continue;
    }
    figure.per_second_milli = rate_milli(1, std::chrono::nanoseconds(figure.latency.mean_ns()));
    figure.p50_ns = figure.latency.percentile_ns(p50);
    figure.p99_ns = figure.latency.percentile_ns(p99);
    judge_parts(figure);
  }
  return figures;
}

}  // namespace pollux
