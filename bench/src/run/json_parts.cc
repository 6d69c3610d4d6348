#include "run/json_parts.h"

namespace pollux {

namespace json = boost::json;

json::value or_null(std::optional<std::int64_t> value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::object json_of(const HostProfile& host) {
  return {{"name", host.name},
          {"cpu", host.cpu},
          {"cpus", host.cpus},
          {"hypervisor", host.hypervisor.empty() ? json::value(nullptr) : json::value(host.hypervisor)},
          {"memory_bytes", host.memory_bytes},
          {"kernel", host.kernel},
          {"optimized_build", host.optimized_build}};
}

json::object json_of(const Histogram& times) {
  return {{"count", times.count()},
          {"p50_ns", or_null(times.percentile_ns(p50))},
          {"p90_ns", or_null(times.percentile_ns(p90))},
          {"p99_ns", or_null(times.percentile_ns(p99))},
          {"p999_ns", or_null(times.percentile_ns(p999))},
          {"mean_ns", times.mean_ns()},
          {"smallest_ns", times.smallest_ns()},
          {"largest_ns", times.largest_ns()}};
}

json::array json_of(const std::vector<std::string>& texts) {
  json::array array;
  for (const auto& text : texts) array.emplace_back(text);
  return array;
}

json::value json_of_hundredths(std::optional<std::uint64_t> hundredths) {
  return hundredths ? json::value(static_cast<double>(*hundredths) / 100) : json::value(nullptr);
}

}  // namespace pollux
