#include "run/verdict.h"

namespace pollux {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::noisy:
      return "noisy";
    case Verdict::invalid:
      return "invalid";
    case Verdict::not_available:
      return "not available";
  }
  return "?";
}

std::optional<Verdict> verdict_named(std::string_view word) {
  for (const Verdict verdict : {Verdict::ok, Verdict::noisy, Verdict::invalid, Verdict::not_available}) {
    if (to_string(verdict) == word) return verdict;
  }
  return std::nullopt;
}

}  // namespace pollux
