// What a search looks at in an entry's row, read in place: a search looks
// at every entry of a collection, and needs a whole EntryRow of few of them.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace pollux {

struct EntryPeek {
  std::string_view name, component;  ///< within the row
  bool collection = false;
  std::int64_t first_s = 0, last_s = std::numeric_limits<std::int64_t>::max();
};
/// Throws std::runtime_error if the row is damaged.
EntryPeek peek_entry(std::string_view row);

}  // namespace pollux
