// The text of the file witness's files. Each ends in a line with the BLAKE2b sum of what stands before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pollux/core/configuration.h"

namespace pollux {

inline constexpr std::size_t witness_file_bytes_max = 4096;

struct FloorFile {
  Epoch epoch;
  std::uint64_t number = 0;  ///< how often the floor was raised in this epoch
  Position floor;
  bool operator==(const FloorFile&) const = default;
};

std::string witness_id_text(const WitnessId& id);
std::string epoch_text(const Configuration& configuration);
std::string floor_text(const FloorFile& floor);

// None if a single byte is not as written above.
std::optional<WitnessId> parse_witness_id(std::string_view text);
std::optional<Configuration> parse_epoch(std::string_view text);
std::optional<FloorFile> parse_floor(std::string_view text);

/// "epoch.00000000000000000042"; kind is "epoch" or "floor".
std::string witness_file_name(std::string_view kind, Epoch epoch);

}  // namespace pollux
