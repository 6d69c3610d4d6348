#include <cstdlib>
#include <iomanip>
#include <ostream>

#include "commit/commit_report.h"
#include "run/format.h"

namespace pollux {

namespace {

void print_row(std::ostream& out, const std::string& name, const std::string& per_second,
               const Histogram& times, const Histogram* floor) {
  const auto middle = times.percentile_ns(p50), late = times.percentile_ns(p99);
  out << "  " << std::left << std::setw(22) << name << std::right << std::setw(12) << per_second
      << std::setw(11) << time_text(middle) << std::setw(11) << time_text(late) << std::setw(11)
      << time_text(times.largest_ns());
  if (floor != nullptr) {
    out << std::setw(11) << ratio_text(ratio_hundredths(middle, floor->percentile_ns(p50))) << std::setw(11)
        << ratio_text(ratio_hundredths(late, floor->percentile_ns(p99)));
  }
  out << "\n";
}

void print_heading(std::ostream& out, const std::string& name, bool ratios) {
  out << "  " << std::left << std::setw(22) << name << std::right << std::setw(12) << "per second"
      << std::setw(11) << "p50" << std::setw(11) << "p99" << std::setw(11) << "longest";
  if (ratios) out << std::setw(11) << "p50/floor" << std::setw(11) << "p99/floor";
  out << "\n";
}

void print_check(const EndCheck& check, std::ostream& out) {
  out << "  trails " << (check.trails_equal ? "equal" : "NOT EQUAL") << " at LSN " << count_text(check.lsn)
      << ", sum of the accounts " << (check.sum_right ? "right" : "NOT RIGHT") << "\n";
}

void print_sustained(const SustainedRun& run, const Histogram& floor, std::ostream& out) {
  const auto& load = run.step.load;
  const auto seconds = load.measured.count() / 1'000'000'000;
  print_row(out, std::to_string(run.step.outstanding) + " for " + std::to_string(seconds) + " s",
            count_text(load.per_second()), load.latency, &floor);
  if (!load.answers_each_second.empty()) {
    Histogram each;
    for (const auto answers : load.answers_each_second) each.record_ns(static_cast<std::int64_t>(answers));
    out << "    in its seconds: " << count_text(static_cast<std::uint64_t>(each.smallest_ns())) << " to "
        << count_text(static_cast<std::uint64_t>(each.largest_ns())) << " a second\n";
  }
  for (const auto& member : run.members) {
    out << "    member " << member.name << " (" << member.role << "): tables behind by at most "
        << count_text(member.lag_largest) << " records, " << count_text(member.lag_at_end)
        << " at the end; RssAnon " << bytes_text(member.memory_at_start) << " before, "
        << bytes_text(member.memory_largest) << " at most\n";
  }
  out << "    processor time a request: member " << run.members[0].name << " "
      << time_text(run.member_processor_ns[0]) << ", member " << run.members[1].name << " "
      << time_text(run.member_processor_ns[1]) << ", requester and load " << time_text(run.requester_processor_ns)
      << "\n";
  out << "    everything applied on both " << time_text(run.settle_ns)
      << " after the last answer: " << (run.keeps_up ? "keeps up" : "DOES NOT KEEP UP") << "\n";
}

void print_stages(const CommitStages& stages, std::ostream& out) {
  out << "    on the average " << time_text(stages.total_ns) << ": message and answer " << time_text(stages.message_ns)
      << ", execution " << time_text(stages.execute_ns) << ", force " << time_text(stages.force_ns)
      << " beside checkpoint " << time_text(stages.checkpoint_ns) << " (the longer of them "
      << time_text(stages.both_ns) << "), reply " << time_text(stages.reply_ns) << ", the rest "
      << (stages.residual_ns() < 0 ? "-" : "") << time_text(std::abs(stages.residual_ns())) << "\n";
}

void print_placement(const PlacementRun& run, std::ostream& out) {
  out << "\n" << (run.name == "free" ? "pair" : run.name) << ": " << run.placement << "\n";
  print_heading(out, "outstanding", true);
  print_row(out, "floor (disk alone)",
            run.floor.mean_ns() == 0
                ? "-"
                : count_text(1'000'000'000 / static_cast<std::uint64_t>(run.floor.mean_ns())),
            run.floor, nullptr);
  for (const auto& step : run.steps) {
    print_row(out, std::to_string(step.outstanding), count_text(step.load.per_second()), step.load.latency,
              &run.floor);
    if (step.stages.requests > 0) print_stages(step.stages, out);
    if (step.load.counts.busy > 0) out << "    answered busy: " << count_text(step.load.counts.busy) << "\n";
  }
  for (const auto& sustained : run.sustained) print_sustained(sustained, run.floor, out);
  print_check(run.check, out);
}

void print_stalls(const StallRun& run, std::ostream& out) {
  out << "\nstall: the primary killed with SIGKILL " << run.kills << " times under " << run.per_second
      << " requests/s";
  if (run.resident_bytes != 0) out << ", members of " << bytes_text(run.resident_bytes) << " resident";
  out << "\n";
  const auto row = [&out](const char* name, const Histogram& times) {
    out << "  " << std::left << std::setw(44) << name << std::right << std::setw(11)
        << time_text(times.percentile_ns(p50)) << std::setw(11) << time_text(times.percentile_ns(p99))
        << std::setw(11) << time_text(times.largest_ns()) << "\n";
  };
  out << "  " << std::left << std::setw(44) << "longest wait of a request" << std::right << std::setw(11)
      << "p50" << std::setw(11) << "p99" << std::setw(11) << "longest" << "\n";
  row("from a kill until both are in sync again", run.stall);
  row("of those due within 10 ms of the kill", run.takeover);
  row("in the second before, undisturbed", run.undisturbed);
  row("(time until both are in sync again)", run.in_sync_after);
  out << "  all " << count_text(run.latency.count()) << " requests: " << count_text(run.counts.answered)
      << " answered, " << count_text(run.counts.failed + run.counts.refused) << " failed, "
      << count_text(run.counts.in_doubt) << " in doubt, " << count_text(run.counts.busy) << " busy\n";
  for (const auto& member : run.members) {
    out << "  member " << member.name << ": RssAnon " << bytes_text(member.memory_largest)
        << " at the start\n";
  }
  print_check(run.check, out);
}

}  // namespace

void print_table(const CommitReport& report, std::ostream& out) {
  const auto& host = report.host;
  out << "Commit of 100-byte ledger updates, durability both, " << count_text(report.accounts)
      << " accounts, " << report.requesters << (report.requesters == 1 ? " requester" : " requesters") << "\n"
      << "on " << host.cpus << " CPUs, " << host.cpu << ", "
      << (host.hypervisor.empty() ? "bare metal" : "a VM (" + host.hypervisor + ")") << ", "
      << bytes_text(host.memory_bytes) << ", " << host.kernel << ", " << report.file_system << " at "
      << report.directory << "\n";
  for (const auto& run : report.placements) print_placement(run, out);
  for (const auto& run : report.stalls) print_stalls(run, out);
  out << "\nverdict: " << report.verdict() << "\n";
  for (const auto& reason : report.failed) out << "  failed: " << reason << "\n";
  for (const auto& reason : report.invalid) out << "  invalid: " << reason << "\n";
  for (const auto& reason : report.noisy) out << "  noisy: " << reason << "\n";
}

}  // namespace pollux
