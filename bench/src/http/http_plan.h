// The cells of `bench http`.
#pragma once

#include <filesystem>
#include <vector>

#include "groupware/groupware_pair.h"
#include "pollux/bench/http.h"
#include "run/plan.h"

namespace pollux {

/// The new items that a pair was given, item 0 first.
struct HttpStored {
  std::uint64_t next = 0;  ///< number of the next new item
};
/// One run of an operation of http_operations().
Result<CellRun> run_http_cell(GroupwarePair& pair, HttpStored& stored, const std::string& operation,
                              unsigned clients, bool keep_alive, const BenchHttpOptions& options);
/// Reads every new item back and compares it; a sentence if one is missing or differs, else empty.
std::string count_lost(GroupwarePair& pair, const HttpStored& stored);

std::vector<CellGroup> plan_http(const BenchCommon& common, const BenchHttpOptions& options,
                                 const std::filesystem::path& directory);

}  // namespace pollux
