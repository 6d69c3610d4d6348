// A session's sequence numbers: which have been answered, and so below which the pair may forget replies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace pollux {

class SessionWindow {
 public:
  explicit SessionWindow(std::size_t window) : window_(window) {}

  /// Room for one more? If only calls in doubt are in the way, the oldest of them is given up.
  [[nodiscard]] bool make_room();
  /// The next sequence number, from 1. Requires room.
  [[nodiscard]] std::uint64_t assign();
  /// Answered, or certainly never to be executed.
  void settle(std::uint64_t seq);
  /// Its caller was told `in_doubt`: its reply must be kept until the outcome was asked for.
  void doubt(std::uint64_t seq);

  /// All below are settled or given up.
  [[nodiscard]] std::uint64_t ack_below() const { return base_; }

 private:
  enum class State : std::uint8_t { open, doubtful, settled };

  void set(std::uint64_t seq, State state);
  void advance();

  std::size_t window_;
  std::uint64_t base_ = 1;
  std::deque<State> states_;  ///< of base_, base_ + 1, ...
};

}  // namespace pollux
