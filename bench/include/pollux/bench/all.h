// `pollux bench all`: every measurement of this host, one after the other, in one result.
#pragma once

#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct BenchAllOptions {
  std::string preset;             ///< "seed-a" to "seed-d": those that repeat a published series; empty: all
  std::vector<std::string> only;  ///< names of measurements; empty: those of the preset
  std::string peer;               ///< "HOST:PORT" of `pollux bench peer`, for ipc and tcp to another host
};
std::vector<std::string> bench_all_names();
std::vector<std::string> bench_presets();
int bench_all(const BenchCommon& common, const BenchAllOptions& options);

}  // namespace pollux
