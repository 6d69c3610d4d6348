// Walks all pages of an LMDB 0.9 data file before LMDB itself opens it.
//
// LMDB trusts its pages: a flipped bit in a page's header or in a pointer makes it read outside the map, hand
// out a page twice, or quietly go back by one transaction. Records and rows have checksums; this is for what
// holds them together. It checks both meta pages, each tree's pages (number, kind, bounds, order of keys,
// count of entries) and that no page is used twice or is free and used.
#pragma once

#include <filesystem>

#include "pollux/core/result.h"

namespace pollux {

/// `damaged`, with the page and what is wrong with it. Ok if the file is absent or empty. Requires that
/// nobody has the environment open.
Result<void> check_lmdb_pages(const std::filesystem::path& data_file);

}  // namespace pollux
