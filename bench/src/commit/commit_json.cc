#include <boost/json.hpp>
#include <ostream>

#include "commit/commit_report.h"
#include "run/format.h"
#include "run/json_parts.h"

namespace pollux {

namespace json = boost::json;

namespace {

json::value ratio(const Histogram& above, const Histogram& below, Percentile percentile) {
  return json_of_hundredths(ratio_hundredths(above.percentile_ns(percentile), below.percentile_ns(percentile)));
}

json::object counts(const LoadCounts& counts) {
  return {{"answered", counts.answered}, {"refused", counts.refused},   {"failed", counts.failed},
          {"busy", counts.busy},         {"in_doubt", counts.in_doubt}, {"attempts", counts.attempts}};
}

json::object step(const CommitStep& step, const Histogram& floor) {
  json::array seconds;
  for (const auto answers : step.load.answers_each_second) seconds.emplace_back(answers);
  return {{"outstanding", step.outstanding},
          {"per_second", step.load.per_second()},
          {"measured_ns", step.load.measured.count()},
          {"latency", json_of(step.load.latency)},
          {"p50_to_floor", ratio(step.load.latency, floor, p50)},
          {"p99_to_floor", ratio(step.load.latency, floor, p99)},
          {"answers_each_second", std::move(seconds)},
          {"calls", counts(step.load.counts)}};
}

json::array members(const std::vector<MemberAtLoad>& members) {
  json::array list;
  for (const auto& member : members) {
    list.push_back(json::object{{"name", member.name},
                                {"role", member.role},
                                {"lag_largest_records", member.lag_largest},
                                {"lag_at_end_records", member.lag_at_end},
                                {"sessions", member.sessions},
                                {"rss_anon_start_bytes", member.memory_at_start},
                                {"rss_anon_largest_bytes", member.memory_largest}});
  }
  return list;
}

json::object check(const EndCheck& check) {
  return {{"trails_equal", check.trails_equal},
          {"sum_right", check.sum_right},
          {"lsn", check.lsn},
          {"hash", check.hash},
          {"wrong", check.wrong}};
}

json::object placement(const PlacementRun& run) {
  json::array steps, sustained;
  for (const auto& one : run.steps) steps.push_back(step(one, run.floor));
  for (const auto& one : run.sustained) {
    auto object = step(one.step, run.floor);
    object["members"] = members(one.members);
    object["settle_ns"] = one.settle_ns;
    object["keeps_up"] = one.keeps_up;
    object["processor_ns_a_request"] = {{one.members[0].name, one.member_processor_ns[0]},
                                        {one.members[1].name, one.member_processor_ns[1]},
                                        {"requester_and_load", one.requester_processor_ns}};
    sustained.push_back(std::move(object));
  }
  return {{"name", run.name},
          {"placement", run.placement},
          {"floor", json_of(run.floor)},
          {"floor_before", json_of(run.floor_before)},
          {"floor_after", json_of(run.floor_after)},
          {"steal_ppm", run.steal_ppm},
          {"steps", std::move(steps)},
          {"sustained", std::move(sustained)},
          {"members", members(run.members)},
          {"check", check(run.check)}};
}

json::object stall(const StallRun& run) {
  return {{"resident_bytes", run.resident_bytes},      {"kills", run.kills},
          {"requests_per_second", run.per_second},     {"stall", json_of(run.stall)},
          {"takeover", json_of(run.takeover)},           {"undisturbed", json_of(run.undisturbed)},
          {"in_sync_after", json_of(run.in_sync_after)}, {"latency", json_of(run.latency)},
          {"latest_send_ns", run.latest_send_ns},      {"calls", counts(run.counts)},
          {"members", members(run.members)},           {"check", check(run.check)}};
}

}  // namespace

void print_json(const CommitReport& report, std::ostream& out) {
  json::array placements, stalls;
  for (const auto& run : report.placements) placements.push_back(placement(run));
  for (const auto& run : report.stalls) stalls.push_back(stall(run));
  const json::object object{
      {"benchmark", "commit"},
      {"format", 1},
      {"host", json_of(report.host)},
      {"directory", report.directory},
      {"file_system", report.file_system},
      {"accounts", report.accounts},
      {"requesters", report.requesters},
      {"request_bytes", 100},
      {"placements", std::move(placements)},
      {"stalls", std::move(stalls)},
      {"verdict", report.verdict()},
      {"failed", json_of(report.failed)},
      {"invalid", json_of(report.invalid)},
      {"noisy", json_of(report.noisy)}};
  out << json::serialize(object) << "\n";
}

}  // namespace pollux
