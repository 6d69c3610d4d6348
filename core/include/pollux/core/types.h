// The numbers and ids of a pair, each with a type of its own so that two can't be swapped.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace pollux {

/// A counter with its own type. `value` is public: these are plain numbers with a name.
template <class Tag>
struct Counter {
  std::uint64_t value = 0;
  constexpr auto operator<=>(const Counter&) const = default;
  [[nodiscard]] constexpr Counter next() const { return Counter{value + 1}; }
  [[nodiscard]] constexpr Counter prev() const { return Counter{value - 1}; }
};

/// Log sequence number of an audit record. 0: before the first record; the first record has 1; no gaps.
using Lsn = Counter<struct LsnTag>;
/// Number of a pair's configuration. 0: none yet.
using Epoch = Counter<struct EpochTag>;
/// Renewed by a restore or a forced takeover; members of two generations do not talk.
using Generation = Counter<struct GenerationTag>;

/// 16 random bytes with their own type. All zero means "none".
template <class Tag>
struct Id128 {
  std::array<std::uint8_t, 16> bytes{};
  constexpr auto operator<=>(const Id128&) const = default;
  [[nodiscard]] constexpr bool none() const { return *this == Id128{}; }
};

using ClusterId = Id128<struct ClusterTag>;
using IncarnationId = Id128<struct IncarnationTag>;  ///< a member's LMDB files, from their creation on
using RunId = Id128<struct RunTag>;                  ///< one start of a member's process
using BootId = Id128<struct BootTag>;                ///< /proc/sys/kernel/random/boot_id
using SessionId = Id128<struct SessionTag>;
using WitnessId = Id128<struct WitnessTag>;

/// Lower-case hex, 32 characters.
std::string to_hex(const std::uint8_t* bytes, std::size_t count);
template <class Tag>
std::string to_string(const Id128<Tag>& id) {
  return to_hex(id.bytes.data(), id.bytes.size());
}
/// First 8 hex characters, for logs.
template <class Tag>
std::string short_name(const Id128<Tag>& id) {
  return to_hex(id.bytes.data(), 4);
}
/// Parses 32 hex characters (dashes allowed); false if malformed.
bool parse_hex(std::string_view text, std::uint8_t* bytes, std::size_t count);
template <class Tag>
bool parse_id(std::string_view text, Id128<Tag>* id) {
  return parse_hex(text, id->bytes.data(), id->bytes.size());
}

/// A member in a configuration: which files, and which start of its process.
struct MemberId {
  IncarnationId incarnation;
  RunId run;
  auto operator<=>(const MemberId&) const = default;
};

/// A requester's session and its sequence number in it. Sequence numbers start at 1.
struct SyncId {
  SessionId session;
  std::uint64_t seq = 0;
  auto operator<=>(const SyncId&) const = default;
};

/// The member's clock: CLOCK_BOOTTIME, which goes on during suspend. `core` never reads it, it is told.
struct BootClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
};
using Instant = BootClock::time_point;
using Duration = std::chrono::nanoseconds;

/// Microseconds since 1970-01-01 UTC: the time written into records, never used for time-outs.
struct WallTime {
  std::int64_t us = 0;
  auto operator<=>(const WallTime&) const = default;
};

/// What `core` is told about time with every event.
struct Now {
  Instant steady;
  WallTime wall;
};

/// Where a requester's answer goes. Made by the transport; means nothing to `core`.
struct Route {
  std::uint64_t value = 0;
  auto operator<=>(const Route&) const = default;
};

}  // namespace pollux

template <class Tag>
struct std::hash<pollux::Id128<Tag>> {
  std::size_t operator()(const pollux::Id128<Tag>& id) const noexcept {
    std::uint64_t half = 0;  // ids are random: any eight bytes of one are a good hash
    std::memcpy(&half, id.bytes.data(), sizeof half);
    return half;
  }
};
template <>
struct std::hash<pollux::SyncId> {
  std::size_t operator()(const pollux::SyncId& id) const noexcept {
    return std::hash<pollux::SessionId>{}(id.session) ^ (id.seq * 0x9e3779b97f4a7c15ULL);
  }
};
