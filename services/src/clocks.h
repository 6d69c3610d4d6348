// What the world gives a process: the time, random ids, the host's boot id.
#pragma once

#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

/// CLOCK_BOOTTIME and CLOCK_REALTIME. The steady part never goes back.
Now read_clocks();
/// The steady part alone.
Instant steady_now();

void fill_random(std::uint8_t* bytes, std::size_t count);
template <class Id>
Id random_id() {
  Id id;
  fill_random(id.bytes.data(), id.bytes.size());
  return id;
}

/// /proc/sys/kernel/random/boot_id: differs after every start of the host.
Result<BootId> read_boot_id();

}  // namespace pollux
