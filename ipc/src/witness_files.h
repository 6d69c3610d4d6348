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

struct EpochFile {
  Configuration configuration;
  /// By adoption: the epoch that stood before. The file takes the name of the one after it, as a proposal would, so
  /// that one of the two gets it; the epochs between were given by a witness that is no longer.
  std::optional<Epoch> adopted_over;
  bool operator==(const EpochFile&) const = default;

  /// That of its name.
  [[nodiscard]] Epoch number() const { return adopted_over ? adopted_over->next() : configuration.epoch; }
};

std::string witness_id_text(const WitnessId& id);
std::string epoch_text(const EpochFile& file);
std::string floor_text(const FloorFile& floor);

// None if a single byte is not as written above.
std::optional<WitnessId> parse_witness_id(std::string_view text);
std::optional<EpochFile> parse_epoch(std::string_view text);
std::optional<FloorFile> parse_floor(std::string_view text);

/// "epoch.00000000000000000042"; kind is "epoch" or "floor".
std::string witness_file_name(std::string_view kind, Epoch epoch);

}  // namespace pollux
