// Configurations for the tests of witnesses.
#pragma once

#include <cstdint>
#include <optional>

#include "pollux/core/configuration.h"

namespace pollux::testing {

inline MemberId member(std::uint8_t incarnation, std::uint8_t run) {
  return {IncarnationId{{incarnation}}, RunId{{run}}};
}

inline Configuration configuration(std::uint64_t epoch, MemberId primary, std::optional<MemberId> backup = {},
                                   Lsn floor = {}) {
  Configuration made;
  made.cluster = ClusterId{{1}};
  made.generation = Generation{1};
  made.epoch = Epoch{epoch};
  made.primary = primary;
  made.backup = backup;
  if (floor.value > 0) made.floor = {floor, Hash{{static_cast<std::uint8_t>(floor.value)}}};
  return made;
}

}  // namespace pollux::testing
