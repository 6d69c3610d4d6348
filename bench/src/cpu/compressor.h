// A small compressor, as work for a CPU: it looks for repetitions (LZ77, hash chains) and codes what is left
// bit by bit with probabilities that adapt (a binary range coder). Integers only: branches that are hard to
// foresee, loads that miss the first cache. No format for files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pollux {

/// `text` has at most 2^24 - 1 bytes.
std::string compress(std::string_view text);
/// None if it is no output of compress().
std::optional<std::string> decompress(std::string_view packed);

}  // namespace pollux
