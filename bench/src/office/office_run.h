// The replay of an office's day.
#pragma once

#include <filesystem>
#include <vector>

#include "groupware/server_under_test.h"
#include "pollux/bench/office.h"
#include "run/plan.h"

namespace pollux {

/// What was stored so far: days that follow store more.
struct Office {
  std::uint64_t stored = 0;         ///< number of the next new item
  std::vector<std::string> tokens;  ///< of sync-collection, one for each person: a day goes on from the day before
};
/// One day, and a look at everything that was acknowledged in it.
Result<CellRun> run_office_day(const ServerUnderTest& server, Office& office,
                               const BenchOfficeOptions& options);
Facts workload_of(const BenchOfficeOptions& options);

std::vector<CellGroup> plan_office(const BenchCommon& common, const BenchOfficeOptions& options,
                                   const std::filesystem::path& directory);

}  // namespace pollux
