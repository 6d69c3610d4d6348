// The schedule of an office's day: who asks for what, and when. The same seed makes the same day.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pollux/bench/office.h"

namespace pollux {

enum class OfficeKind { put, get, propfind, sync, multiget };
inline constexpr OfficeKind office_kinds[] = {OfficeKind::put, OfficeKind::get, OfficeKind::propfind,
                                              OfficeKind::sync, OfficeKind::multiget};
std::string_view word_of(OfficeKind kind);

struct OfficeAct {
  std::chrono::nanoseconds due{};  ///< from the begin of the day, compressed
  OfficeKind kind = OfficeKind::get;
  unsigned person = 0;
  std::uint32_t item_bytes = 0;  ///< a task, forum post, wiki page or support mail
  std::uint64_t pick = 0;        ///< at random: which item is read
};

/// In the order in which they are due. Each person decides 200 to 300 times, at moments at random, and thinks
/// in between.
std::vector<OfficeAct> office_day(const BenchOfficeOptions& options);
/// What the items that are stored or read one by one come to.
std::uint64_t item_bytes_of(const std::vector<OfficeAct>& day);

}  // namespace pollux
