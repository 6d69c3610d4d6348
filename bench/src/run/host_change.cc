#include "run/host_change.h"

#include "host/canary.h"
#include "run/format.h"

namespace pollux {

void note_host_change(BenchResult& result, std::int64_t before_ns, std::int64_t after_ns) {
  const auto fact = [&result](const char* name, std::int64_t ns) {
    result.host.facts.push_back({.name = name,
                                 .value = std::to_string(ns),
                                 .evidence = "time of the reference loop",
                                 .kind = FactKind::harmless});
  };
  fact("canary.before_ns", before_ns);
  fact("canary.after_ns", after_ns);
  const auto change = canary_change_ppm(before_ns, after_ns);
  if (change <= host_change_noisy_ppm || result.cells.empty()) return;
  constexpr std::uint64_t percent_ppm = 10'000;
  const auto text = "the host changed meanwhile: the reference loop took " + time_text(before_ns) +
                    " before and " + time_text(after_ns) + " after (" + std::to_string(change / percent_ppm) +
                    " % apart); its frequency, its neighbours or other programs did that";
  for (auto& cell : result.cells) {
    if (cell.verdict == Verdict::not_available) continue;
    if (cell.verdict == Verdict::ok) cell.verdict = Verdict::noisy;
    cell.reasons.push_back("the reference loop took " + std::to_string(change / percent_ppm) + " % " +
                           (after_ns > before_ns ? "longer" : "less") + " after all cells than before them");
  }
  result.findings.push_back({.bench = result.cells.front().bench, .kind = "host changed", .text = text});
}

}  // namespace pollux
