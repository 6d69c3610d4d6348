// A cell: one thing measured in one way, several times over, with what is known of how it went. Everything that
// `pollux bench` measures is told as cells; tables, files, comparisons and reports know nothing else.
//
// All numbers are whole: nanoseconds, bytes, parts of a million. So nothing is lost between a file and a
// comparison, and nothing can be "not a number".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/counters.h"
#include "pollux/bench/histogram.h"
#include "run/verdict.h"

namespace pollux {

enum class Unit {
  ns,
  per_second_milli,  ///< thousandths of one a second
  bytes_per_second,
  bytes,
  count,
  ppm,
};
std::string_view to_string(Unit unit);
std::optional<Unit> unit_named(std::string_view word);

enum class Better { less, more, neither };
std::string_view to_string(Better better);
std::optional<Better> better_named(std::string_view word);

/// Names and values in the order in which they are told.
using Facts = std::vector<std::pair<std::string, std::string>>;
/// The value of `name`, or empty.
std::string_view fact(const Facts& facts, std::string_view name);

/// One thing that was measured in a cell. Its name, unit and direction are those of every run.
struct Figure {
  std::string name;  ///< "round trip", "throughput"
  Unit unit = Unit::ns;
  Better better = Better::less;
  Histogram times;                 ///< of all runs; empty unless the figure is a distribution of times
  std::vector<std::int64_t> runs;  ///< one number a run: of a distribution its median
  std::vector<std::int64_t> runs_p99;  ///< of a distribution, of those runs with samples enough; else empty

  [[nodiscard]] bool is_distribution() const { return times.count() > 0; }
  /// Median over the runs; the lower of the two in the middle. None if there is no run.
  [[nodiscard]] std::optional<std::int64_t> value() const;
  /// (largest - smallest) / median over the runs, in parts of a million; 0 with fewer than two runs.
  [[nodiscard]] std::uint64_t spread_ppm() const;
};

struct Cell {
  std::string bench;  ///< "ipc"
  Facts workload;     ///< what was asked for: cells with the same bench and workload are the same measurement
  Facts found;        ///< what was granted or came out besides figures: buffer sizes, CPUs, versions
  std::vector<Figure> figures;  ///< the first is the headline
  HostCounters counters;        ///< what the host counted while it ran, over all runs
  Verdict verdict = Verdict::ok;
  std::vector<std::string> reasons;  ///< one sentence each; none if ok
  bool failed = false;               ///< what was measured did wrong; the verdict is invalid then
  unsigned runs = 0;                 ///< that were carried out

  /// "ipc transport=unix-socket bytes=1024 place=other-core": unique in a result.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Figure* figure(std::string_view name) const;
};

/// What the cells show together: a knee, a plateau. One sentence.
struct Finding {
  std::string bench;
  std::string kind;  ///< "knee", "plateau", "flush", "advice"
  std::string text;
};

}  // namespace pollux
