// Is a history of operations on registers linearizable? Wing and Gong's search (1993) with Lowe's memory of
// states already seen; each register by itself, since linearizability is local (Herlihy and Wing, 1990).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pollux::testing {

/// One operation on one register. Times are positions in the order of all events, all different.
struct RegisterOperation {
  enum class Kind : std::uint8_t { read, swap, compare_and_swap };
  Kind kind = Kind::read;
  std::uint64_t invoked = 0;
  std::uint64_t returned = 0;               ///< 0: never; it may have happened at any later time, or not at all
  std::uint64_t expected = 0;               ///< of a compare_and_swap
  std::uint64_t value = 0;                  ///< written by swap and compare_and_swap
  std::uint64_t saw = 0;                    ///< the value before, as the answer told; not used if never returned
  bool succeeded = true;                    ///< of a compare_and_swap
  std::string text;                         ///< for people
};

/// The register holds 0 at first. None if linearizable; else which operation can't be placed.
std::optional<std::string> find_contradiction(std::vector<RegisterOperation> operations);

}  // namespace pollux::testing
