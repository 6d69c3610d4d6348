// What others have published of such measurements: to be laid beside ours as hollow marks, and never as if it
// had been measured here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/cell.h"

namespace pollux {

struct Published {
  std::string test, subject, metric, conditions, source, unit;
  std::vector<std::string> flags;
  std::optional<std::int64_t> value;  ///< in `as`; none: no number was published, or its unit is none of ours
  Unit as = Unit::ns;
  std::string printed;  ///< the number as it was published, with its unit
};
/// All, from the file that is built into this program.
const std::vector<Published>& all_published();

/// Of the same kind as this figure of this cell.
struct PublishedBeside {
  const Published* figure = nullptr;
  bool same_workload = false;
  std::string why_no_ratio;  ///< a sentence, unless the workload is the same
};
std::vector<PublishedBeside> published_beside(const Cell& cell, const Figure& figure);

/// What a flag of a published figure means, in words.
std::string flag_in_words(const std::string& flag);

}  // namespace pollux
