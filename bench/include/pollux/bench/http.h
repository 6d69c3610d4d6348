// `pollux bench http`: small requests over HTTP to a groupware pair, as `ab` would send them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct BenchHttpOptions {
  std::vector<std::string> operations;        ///< of http_operations(); empty: all
  std::vector<unsigned> clients = {1, 10, 100};
  std::vector<bool> keep_alive = {true, false};
  std::uint64_t requests = 500;               ///< in a run
  std::uint64_t rate = 0;                     ///< a second, each timed from when it was due; 0: as fast as answered
  std::chrono::milliseconds limit{10'000};    ///< of a run
  std::vector<std::string> settings, gateway_settings;  ///< more lines of these tables of the configuration
};
std::vector<std::string> http_operations();
/// What --quick makes smaller, unless it was given.
void make_quick(BenchHttpOptions& options);
int bench_http(const BenchCommon& common, const BenchHttpOptions& options);

}  // namespace pollux
