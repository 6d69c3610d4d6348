// The cells of `bench file`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pollux/bench/file.h"
#include "run/plan.h"

namespace pollux {

std::vector<CellGroup> plan_file(const BenchCommon& common, const BenchFileOptions& options,
                                 const std::filesystem::path& directory);
/// Bytes that no one compresses or mixes up: others for another number.
std::string file_text(std::uint64_t bytes, std::uint64_t number);

}  // namespace pollux
