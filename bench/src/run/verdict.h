// How far a figure can be trusted.
#pragma once

#include <optional>
#include <string_view>

namespace pollux {

enum class Verdict {
  ok,
  noisy,          ///< measured, but something disturbed it: read it with care
  invalid,        ///< measured, and means nothing: not what it says it is
  not_available,  ///< not measured
};
std::string_view to_string(Verdict verdict);
std::optional<Verdict> verdict_named(std::string_view word);

}  // namespace pollux
