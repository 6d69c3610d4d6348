// What the JSON reports of all benchmarks have in common.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/host.h"
#include "pollux/bench/histogram.h"

namespace pollux {

boost::json::value or_null(std::optional<std::int64_t> value);
boost::json::object json_of(const HostProfile& host);
/// Count, percentiles (null if too few samples stand behind one), mean, smallest and largest.
boost::json::object json_of(const Histogram& times);
boost::json::array json_of(const std::vector<std::string>& texts);
/// BLAKE2b over the serialised object without its member "digest", in hex.
std::string digest_of(const boost::json::object& object);
/// Hundredths as a number: the one place where a figure becomes a fraction.
boost::json::value json_of_hundredths(std::optional<std::uint64_t> hundredths);

}  // namespace pollux
