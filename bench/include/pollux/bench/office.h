// `pollux bench office`: a day of an office, replayed against a groupware pair faster than it was. Each
// request is timed from when it was due; in the end everything that was acknowledged is read back and
// compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct BenchOfficeOptions {
  unsigned people = 100;
  unsigned compress = 1000;  ///< so many times faster than an office: 8 hours in 28.8 s
  std::uint64_t seed = 1;    ///< of the schedule
  std::vector<std::string> settings, gateway_settings;  ///< more lines of these tables of the configuration
};
/// What --quick makes smaller.
void make_quick(BenchOfficeOptions& options);
int bench_office(const BenchCommon& common, const BenchOfficeOptions& options);

}  // namespace pollux
