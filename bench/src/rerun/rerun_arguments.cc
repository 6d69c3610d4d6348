#include "rerun/rerun_arguments.h"

#include <algorithm>

namespace pollux {

Result<std::vector<std::string>> rerun_arguments(const BenchResult& result,
                                                 const std::vector<std::string>& measurements) {
  const auto& old = result.arguments;
  if (old.empty())
    return fail(Code::invalid_argument, "it does not say how it was measured; call the measurement");
  if (std::ranges::find(measurements, old.front()) == measurements.end()) {
    return fail(Code::invalid_argument,
                "it was made by 'pollux bench " + old.front() + "', which is no measurement of this program");
  }
  if (std::ranges::find(old, "(redacted)") != old.end()) {
    return fail(Code::invalid_argument,
                "its arguments are redacted, so they are not known; call 'pollux bench " + old.front() +
                    "' yourself");
  }
  std::vector<std::string> again;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const auto& one = old[i];
    if (one == "--output") {
      ++i;
      continue;
    }
    if (one.starts_with("--output=") || one == "--json" || one == "--csv" || one == "--markdown") continue;
    again.push_back(one);
  }
  return again;
}

}  // namespace pollux
