// A collection's sync token (RFC 6578): its id, which is never used again, and the number of its last change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pollux {

struct SyncPoint {
  std::uint64_t collection = 0, change = 0;
  /// Where deletions are told from: later than `change` in the middle of a first synchronization.
  std::uint64_t deletions = 0;
  bool operator==(const SyncPoint&) const = default;
};
/// A URI.
std::string make_sync_token(const SyncPoint& point);
std::string make_sync_token(std::uint64_t collection, std::uint64_t change);
/// None: not one of ours.
std::optional<SyncPoint> parse_sync_token(std::string_view token);

}  // namespace pollux
