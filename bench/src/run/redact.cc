#include "run/redact.h"

namespace pollux {

void redact(BenchResult& result) {
  constexpr auto gone = "(redacted)";
  for (auto& fact : result.host.facts) {
    if (fact.kind != FactKind::identity) continue;
    fact.value = gone;
    fact.evidence.clear();
  }
  // What may hold a path or a peer's name; the measurement's own parameters are plain words and numbers.
  for (auto& argument : result.arguments) {
    if (argument.find_first_of("/:@") != std::string::npos) argument = gone;
  }
}

}  // namespace pollux
