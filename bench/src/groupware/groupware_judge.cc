#include <algorithm>

#include "run/format.h"
#include "groupware/groupware_report.h"

namespace pollux {

namespace {

constexpr std::uint64_t steal_noisy_ppm = 20'000;      // 2 % of the CPU time was taken by the hypervisor
constexpr std::uint64_t foreign_noisy_ppm = 50'000;    // 5 % by other programs
constexpr std::uint64_t parts_noisy_hundredths = 125;  // the same server, measured twice
constexpr std::string_view ours = "pollux";

std::string percent_text(std::uint64_t ppm) { return std::to_string(ppm / 10'000) + " %"; }

void worsen(GroupwareCell& cell, Verdict verdict, const std::string& reason) {
  if (cell.verdict >= verdict) return;
  cell.verdict = verdict;
  cell.reason = reason;
}

void judge_cell_verdict(GroupwareCell& cell, GroupwareReport& report) {
  const auto* own = cell.find(ours);
  if (own == nullptr) return;
  const auto where = cell.plan.name + ", " + std::to_string(cell.plan.connections) + " connections";
  if (own->failed) report.failed.push_back(where + ": " + own->reason);
  if (!own->usable()) worsen(cell, own->verdict, own->reason);
  if (!report.host.optimized_build) {
    worsen(cell, Verdict::invalid, "this build has sanitizers or no optimisation");
  }
  if (cell.plan.kind == CellKind::idle) return;  // memory does not depend on who else works
  if (cell.steal_ppm > steal_noisy_ppm) {
    worsen(cell, Verdict::noisy, "the hypervisor took " + percent_text(cell.steal_ppm) + " of the CPU time");
  }
  if (cell.foreign_ppm > foreign_noisy_ppm) {
    worsen(cell, Verdict::noisy,
           "other programs took " + percent_text(cell.foreign_ppm) + " of the CPU time");
  }
  for (const auto& figure : cell.servers) {
    if (figure.verdict == Verdict::noisy) worsen(cell, Verdict::noisy, figure.server + ": " + figure.reason);
  }
}

void compare(GroupwareCell& cell) {
  const auto* own = cell.find(ours);
  for (const auto& figure : cell.servers) {
    if (&figure == own || own == nullptr) continue;
    Ratio ratio{.to = figure.server, .hundredths = {}};
    if (own->usable() && figure.usable() && figure.per_second_milli > 0) {
      ratio.hundredths = ratio_hundredths(static_cast<std::int64_t>(own->per_second_milli),
                                          static_cast<std::int64_t>(figure.per_second_milli));
    }
    cell.ratios.push_back(std::move(ratio));
  }
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

void judge_ratio(GroupwareCell& cell) {
  const auto& asked = cell.plan.asked;
  std::vector<std::string> missing;
  bool met = true, compared = false;
  for (const auto& name : asked.of) {
    const auto ratio = std::ranges::find(cell.ratios, name, &Ratio::to);
    if (ratio == cell.ratios.end() || !ratio->hundredths) {
      missing.push_back(name);
      continue;
    }
    compared = true;
    met = met && *ratio->hundredths >= asked.hundredths_min;
  }
  if (!met) {
    cell.outcome = AskedOutcome::not_met;
  } else {
    cell.outcome = compared && missing.empty() ? AskedOutcome::met : AskedOutcome::open;
  }
  cell.asked_words = "at least " + ratio_text(asked.hundredths_min) + " as many as " + listed(asked.of) +
                     ": " + std::string(to_string(cell.outcome));
  if (!missing.empty()) cell.asked_words += " (no figure of " + listed(missing) + ")";
}

void judge_limit(GroupwareCell& cell, std::uint64_t has, std::uint64_t limit, const std::string& words) {
  cell.outcome = has == 0 ? AskedOutcome::open : has < limit ? AskedOutcome::met : AskedOutcome::not_met;
  cell.asked_words = words + ": " + std::string(to_string(cell.outcome));
}

void judge_asked(GroupwareCell& cell, const GroupwareReport& report) {
  const auto& asked = cell.plan.asked;
  if (!asked.anything()) return;
  if (asked.events != 0 && asked.events != report.events) {
    cell.outcome = AskedOutcome::open;
    cell.asked_words = "it is about " + count_text(asked.events) + " events, and there are " +
                       count_text(report.events) + ": open";
    return;
  }
  const auto* own = cell.find(ours);
  const bool usable = own != nullptr && own->usable();
  if (asked.p50_ns_max != 0) {
    judge_limit(cell, usable ? static_cast<std::uint64_t>(own->p50_ns.value_or(0)) : 0,
                static_cast<std::uint64_t>(asked.p50_ns_max), "p50 under " + time_text(asked.p50_ns_max));
  } else if (asked.memory_bytes_max != 0) {
    judge_limit(cell, usable ? own->memory_bytes : 0, asked.memory_bytes_max,
                "under " + bytes_text(asked.memory_bytes_max));
  } else {
    judge_ratio(cell);
  }
}

}  // namespace

std::string_view word_of(CellKind kind) {
  switch (kind) {
    case CellKind::get:
      return "get";
    case CellKind::put_new:
    case CellKind::put_changed:
      return "put";
    case CellKind::propfind:
      return "propfind";
    case CellKind::multiget:
      return "multiget";
    case CellKind::query:
      return "query";
    case CellKind::sync:
      return "sync";
    case CellKind::idle:
      return "idle";
    case CellKind::wrk:
      return "wrk";
    case CellKind::ab:
      return "ab";
  }
  return "";
}

std::string_view to_string(AskedOutcome outcome) {
  switch (outcome) {
    case AskedOutcome::nothing_asked:
      return "nothing asked";
    case AskedOutcome::met:
      return "met";
    case AskedOutcome::not_met:
      return "NOT met";
    case AskedOutcome::open:
      return "open";
  }
  return "";
}

const ServerFigure* GroupwareCell::find(std::string_view server) const {
  const auto at = std::ranges::find(servers, server, &ServerFigure::server);
  return at == servers.end() ? nullptr : &*at;
}

void judge_parts(ServerFigure& figure) {
  if (!figure.usable() || figure.parts_milli.size() < 2) return;
  const auto [least, most] = std::ranges::minmax(figure.parts_milli);
  if (least != 0 && most * 100 <= least * parts_noisy_hundredths) return;
  figure.verdict = Verdict::noisy;
  figure.reason = "measured twice, it answered " + rate_text(figure.parts_milli.front()) + " and " +
                  rate_text(figure.parts_milli.back()) + " a second";
}

void judge(GroupwareReport& report) {
  if (!report.host.optimized_build) {
    report.invalid.push_back("this build has sanitizers or no optimisation; build with the release preset");
  }
  if (!report.check.wrong.empty()) report.failed.push_back(report.check.wrong);
  if (report.found != report.stored) {
    report.failed.push_back(count_text(report.stored) + " new items were acknowledged, and " +
                            count_text(report.found) + " of them are there at the end");
  }
  std::size_t noisy = 0;
  for (auto& cell : report.cells) {
    compare(cell);
    judge_cell_verdict(cell, report);
    judge_asked(cell, report);
    if (cell.verdict == Verdict::noisy) ++noisy;
  }
  if (noisy > 0) {
    report.noisy.push_back(std::to_string(noisy) + " of " + std::to_string(report.cells.size()) +
                           " cells; each says why");
  }
}

const char* GroupwareReport::verdict() const {
  if (!failed.empty()) return "failed";
  if (!invalid.empty()) return "invalid";
  return noisy.empty() ? "ok" : "noisy";
}

}  // namespace pollux
