// The far end of a round trip: sends back what it gets. And the faults it can be told to have, by which the
// benchmark proves that it would notice them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peer/channel.h"
#include "run/cell.h"

namespace pollux {

struct EchoFaults {
  std::uint64_t delay_one_in = 0;  ///< every so many messages one is late; 0: none
  std::int64_t delay_ns = 0;
  std::uint64_t freeze_at =
      0;  ///< number of the message, from 1, before which it stands still once; 0: never
  std::int64_t freeze_ns = 0;
  std::uint64_t wrong_at = 0;  ///< number of the message with one wrong byte; 0: none

  [[nodiscard]] Facts facts() const;
};
/// Of the names that facts() gives; others are left alone. Numbers that can't be read count as 0.
EchoFaults faults_of(const Facts& facts);

/// Until the other end is gone or the channel's guard gave up. Returns how many messages it sent back.
std::uint64_t serve_echo(Channel& channel, std::size_t bytes, const EchoFaults& faults);

}  // namespace pollux
