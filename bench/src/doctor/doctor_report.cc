#include "doctor/doctor_report.h"

#include <boost/json/array.hpp>
#include <ostream>

#include "host/facts.h"
#include "run/format.h"
#include "run/json_parts.h"

namespace pollux {

namespace json = boost::json;

namespace {

void print_seen(const Observed& seen, std::ostream& out) {
  const auto fact = [&seen](const char* name) { return fact_value(seen.facts, name); };
  out << fact("cpu.model") << ", " << seen.cpus << " CPUs; vm: " << fact("vm")
      << "; container: " << fact("container") << "; " << fact("kernel") << "\n\n";
  out << "  clock       " << fact("clock.source") << ", 1,000 readings take " << time_text(seen.clock_cost_ns)
      << ", smallest step " << time_text(seen.clock.smallest_step_ns) << "\n";
  out << "  wake-ups    " << time_text(seen.late.median_ns()) << " late at the median, "
      << time_text(seen.late.largest_ns()) << " at most, of " << count_text(seen.late.count()) << "\n";
  out << "  busy loops  the longest gap is " << time_text(seen.gaps.longest_ns) << "; "
      << count_text(seen.gaps.above_large) << " above 1 ms, " << count_text(seen.gaps.above_middle)
      << " above 100 us, on all CPUs at once\n";
  out << "  steal       " << value_text(Unit::ppm, static_cast<std::int64_t>(seen.steal_ppm)) << "\n";
  out << "  flush       " << time_text(seen.flushes.median_ns()) << " at the median, "
      << time_text(seen.flushes.largest_ns()) << " at most, of " << count_text(seen.flushes.count())
      << ", on " << (seen.disk_device.empty() ? "a disk that can't be seen" : seen.disk_device) << " ("
      << seen.file_system << ")\n";
}

void print_advice(const Advice& advice, std::ostream& out) {
  out << "\nThe shortest times that this host can keep, for a [[pair]] of the configuration. They allow for "
         "a pause of "
      << advice.pause_ms << " ms\n(" << advice.pause_reason
      << ").\nLonger ones are as safe; a takeover takes longer.\n\n";
  for (const auto& time : advice.times) out << time.line() << "\n";
}

void print_warnings(const DoctorReport& report, std::ostream& out) {
  out << "\n";
  if (report.warnings.empty()) {
    out << "No warnings" << (report.config_name.empty() ? "" : ", also none of " + report.config_name)
        << ".\n";
    return;
  }
  out << report.warnings.size() << (report.warnings.size() == 1 ? " warning" : " warnings")
      << (report.config_name.empty() ? "" : " (with " + report.config_name + ")") << ":\n";
  for (const auto& warning : report.warnings) {
    out << "\n- " << warning.what << "\n  why: " << warning.why << "\n  do:  " << warning.todo << "\n";
  }
}

}  // namespace

void print_report(const DoctorReport& report, std::ostream& out) {
  print_seen(report.seen, out);
  print_advice(report.advice, out);
  print_warnings(report, out);
}

json::object json_of(const DoctorReport& report) {
  const auto& seen = report.seen;
  json::array times, warnings, facts;
  for (const auto& time : report.advice.times) {
    times.push_back(json::object{{"key", time.key}, {"ms", time.ms}, {"reason", time.reason}});
  }
  for (const auto& warning : report.warnings) {
    warnings.push_back(json::object{{"what", warning.what}, {"why", warning.why}, {"do", warning.todo}});
  }
  for (const auto& fact : seen.facts) {
    facts.push_back(json::object{{"name", fact.name}, {"value", fact.value}, {"evidence", fact.evidence}});
  }
  return {{"doctor", 1},
          {"config", report.config_name.empty() ? json::value(nullptr) : json::value(report.config_name)},
          {"clock", json::object{{"source", fact_value(seen.facts, "clock.source")},
                                 {"thousand_readings_ns", seen.clock_cost_ns},
                                 {"smallest_step_ns", seen.clock.smallest_step_ns},
                                 {"broken", seen.clock.broken}}},
          {"late", json_of(seen.late)},
          {"gaps", json::object{{"longest_ns", seen.gaps.longest_ns},
                                {"above_10us", seen.gaps.above_small},
                                {"above_100us", seen.gaps.above_middle},
                                {"above_1ms", seen.gaps.above_large}}},
          {"steal_ppm", seen.steal_ppm},
          {"flush", json_of(seen.flushes)},
          {"pause_ms", report.advice.pause_ms},
          {"times", times},
          {"warnings", warnings},
          {"host", facts}};
}

}  // namespace pollux
