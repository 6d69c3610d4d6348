#include "pollux/bench/histogram.h"
#include "pollux/bench/host.h"
#include "run/benchmark.h"

namespace pollux {

int bench_host(const BenchCommon& common) {
  const auto begin = monotonic_ns();
  auto result = begin_result(common, common.directory);
  result.took_ns = monotonic_ns() - begin;
  return finish_result(common, "host", result);
}

}  // namespace pollux
