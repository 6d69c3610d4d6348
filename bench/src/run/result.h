// What a call of `pollux bench` found: the cells, the host, and how to do it again. Written as JSON; read back
// with every doubt that a file from elsewhere deserves.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/host.h"
#include "pollux/core/result.h"
#include "run/cell.h"

namespace pollux {

struct BenchResult {
  static constexpr std::int64_t format = 1;            ///< of the file; another is refused
  static constexpr std::uint64_t file_bytes_max = 256u << 20;

  std::string version;                 ///< of Pollux
  std::string started;                 ///< wall clock, UTC, "2026-12-01T09:30:00Z"
  std::int64_t took_ns = 0;
  bool complete = true;                ///< false: interrupted; cells that were not measured say so
  bool quick = false;
  std::vector<std::string> arguments;  ///< of `pollux bench`
  std::uint64_t price_micro = 0;       ///< of an hour of this host, in millionths; 0: not told
  HostProfile host;
  std::vector<Cell> cells;
  std::vector<Finding> findings;

  /// The worst: invalid if a cell is, then noisy, else ok. Cells that are not available don't count.
  [[nodiscard]] Verdict verdict() const;
  [[nodiscard]] bool failed() const;  ///< a cell has
};

/// With a digest of all of it, so that a file that was cut off or changed is told from a whole one.
boost::json::object json_of(const BenchResult& result);
/// Errors are one line: no such file, too large, no JSON, of another format, changed, not plausible.
Result<BenchResult> read_result(const std::filesystem::path& file);
Result<BenchResult> parse_result(std::string_view text, const std::string& where);
/// Written beside it and renamed, so that there is the whole file or none.
Result<void> write_result(const BenchResult& result, const std::filesystem::path& file);

}  // namespace pollux
