// Exit codes of `pollux bench`, documented in docs/commands.md.
#pragma once

namespace pollux {

struct BenchExit {
  static constexpr int ok = 0;
  static constexpr int failed = 1;  ///< could not measure, or what was measured did wrong: lost, doubled, wrong answer
  static constexpr int usage = 2;
  static constexpr int invalid = 3;    ///< measured, but figures can't be trusted here; the report says why
  static constexpr int threshold = 4;  ///< measured and trusted, but a --threshold was missed
  static constexpr int different = 5;  ///< compare: the two don't hold the same measurement
  static constexpr int interrupted = 130;
};

}  // namespace pollux
