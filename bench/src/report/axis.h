// A logarithmic axis: from what there is to see to places on a picture.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "run/cell.h"

namespace pollux {

class LogAxis {
 public:
  /// Holds all that add() is told, and whole powers of ten (or 1, 2, 5 of them if that is little) around it.
  void add(std::int64_t value);
  /// `from` and `to`: where the least and the largest are, in tenths of a pixel.
  void place(int from, int to);
  [[nodiscard]] bool empty() const { return low_ == 0; }
  [[nodiscard]] int at(std::int64_t value) const;
  [[nodiscard]] std::vector<std::int64_t> ticks() const;

 private:
  std::int64_t low_ = 0, high_ = 0;
  int from_ = 0, to_ = 0;
};

/// Short text of a tick: "100 us", "1 ms", "10 MB/s".
std::string tick_text(Unit unit, std::int64_t value);

}  // namespace pollux
