#include <boost/json.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "run/json_parts.h"
#include "run/result.h"

namespace pollux {

namespace json = boost::json;

namespace {

// What is wrong is thrown as a sentence and caught in parse_result: reading is fifty steps that may each fail.
struct Refused {
  std::string why;
};

const json::value& field(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr) throw Refused{"\"" + std::string(name) + "\" is missing"};
  return *value;
}

std::string text_of(const json::value& value, std::string_view name) {
  if (!value.is_string()) throw Refused{"\"" + std::string(name) + "\" is no text"};
  return std::string(value.get_string());
}
std::string text(const json::object& object, std::string_view name) { return text_of(field(object, name), name); }

std::int64_t integer_of(const json::value& value, std::string_view name) {
  if (value.is_int64()) return value.get_int64();
  throw Refused{"\"" + std::string(name) + "\" is no whole number"};
}
std::int64_t integer(const json::object& object, std::string_view name) {
  return integer_of(field(object, name), name);
}
std::uint64_t natural_of(const json::value& value, std::string_view name) {
  if (value.is_uint64()) return value.get_uint64();
  const auto number = integer_of(value, name);
  if (number < 0) throw Refused{"\"" + std::string(name) + "\" is below 0"};
  return static_cast<std::uint64_t>(number);
}
std::uint64_t natural(const json::object& object, std::string_view name) {
  return natural_of(field(object, name), name);
}
std::optional<std::uint64_t> natural_or_none(const json::object& object, std::string_view name) {
  return field(object, name).is_null() ? std::nullopt : std::optional(natural(object, name));
}

bool flag(const json::object& object, std::string_view name) {
  const auto& value = field(object, name);
  if (!value.is_bool()) throw Refused{"\"" + std::string(name) + "\" is neither true nor false"};
  return value.get_bool();
}

const json::array& list_of(const json::value& value, std::string_view name) {
  if (!value.is_array()) throw Refused{"\"" + std::string(name) + "\" is no list"};
  return value.get_array();
}
const json::array& list(const json::object& object, std::string_view name) {
  return list_of(field(object, name), name);
}
const json::object& object_of(const json::value& value, std::string_view name) {
  if (!value.is_object()) throw Refused{"\"" + std::string(name) + "\" holds something else than objects"};
  return value.get_object();
}

std::vector<std::string> texts(const json::object& object, std::string_view name) {
  std::vector<std::string> out;
  for (const auto& value : list(object, name)) out.push_back(text_of(value, name));
  return out;
}
std::vector<std::int64_t> integers(const json::object& object, std::string_view name) {
  std::vector<std::int64_t> out;
  for (const auto& value : list(object, name)) out.push_back(integer_of(value, name));
  return out;
}

Facts facts(const json::object& object, std::string_view name) {
  Facts out;
  for (const auto& value : list(object, name)) {
    const auto& pair = list_of(value, name);
    if (pair.size() != 2) throw Refused{"\"" + std::string(name) + "\" holds something else than pairs"};
    auto key = text_of(pair[0], name);
    if (!fact(out, key).empty()) throw Refused{"\"" + std::string(name) + "\" holds " + key + " twice"};
    out.emplace_back(std::move(key), text_of(pair[1], name));
  }
  return out;
}

Histogram histogram(const json::object& object) {
  Histogram::Kept kept;
  const auto& filled = list(object, "buckets");
  if (filled.size() % 2 != 0) throw Refused{"\"buckets\" ends in the middle of a pair"};
  std::uint64_t bucket = 0;
  for (std::size_t i = 0; i < filled.size(); i += 2) {
    bucket += natural_of(filled[i], "buckets");
    if (bucket > UINT32_MAX) throw Refused{"\"buckets\" has a bucket beyond the last"};
    kept.filled.emplace_back(static_cast<std::uint32_t>(bucket), natural_of(filled[i + 1], "buckets"));
  }
  kept.smallest_ns = integer(object, "smallest_ns");
  kept.largest_ns = integer(object, "largest_ns");
  kept.sum_ns = natural(object, "sum_ns");
  kept.overflow = natural(object, "overflow");
  kept.censored = natural(object, "censored");
  kept.anomalies = natural(object, "anomalies");
  auto times = Histogram::of(kept);
  if (!times) throw Refused{"\"buckets\" and the figures beside them contradict each other"};
  return std::move(*times);
}

Figure figure(const json::object& object) {
  Figure out;
  out.name = text(object, "name");
  const auto unit = unit_named(text(object, "unit"));
  const auto better = better_named(text(object, "better"));
  if (!unit || !better) throw Refused{"\"unit\" or \"better\" of " + out.name + " is an unknown word"};
  out.unit = *unit;
  out.better = *better;
  out.runs = integers(object, "runs");
  if (object.contains("times")) {
    out.runs_p99 = integers(object, "runs_p99");
    out.times = histogram(object_of(field(object, "times"), "times"));
    for (const auto run : out.runs) {
      if (run < out.times.smallest_ns() || run > out.times.largest_ns())
        throw Refused{"a run of " + out.name + " lies outside of its own times"};
    }
  }
  return out;
}

HostCounters counters(const json::object& object) {
  return {.elapsed_ns = integer(object, "elapsed_ns"),
          .cpu_ticks = natural(object, "cpu_ticks"),
          .stolen_ticks = natural(object, "stolen_ticks"),
          .foreign_ticks = natural(object, "foreign_ticks"),
          .throttled_us = natural_or_none(object, "throttled_us"),
          .pressure_cpu_us = natural_or_none(object, "pressure_cpu_us"),
          .pressure_io_us = natural_or_none(object, "pressure_io_us"),
          .pressure_memory_us = natural_or_none(object, "pressure_memory_us"),
          .migrations = natural_or_none(object, "migrations"),
          .retransmits = natural_or_none(object, "retransmits"),
          .flushes = natural_or_none(object, "flushes")};
}

Cell cell(const json::object& object) {
  Cell out;
  out.bench = text(object, "bench");
  out.workload = facts(object, "workload");
  out.found = facts(object, "found");
  out.runs = static_cast<unsigned>(std::min<std::uint64_t>(natural(object, "runs"), UINT32_MAX));
  for (const auto& value : list(object, "figures"))
    out.figures.push_back(figure(object_of(value, "figures")));
  out.counters = counters(object_of(field(object, "counters"), "counters"));
  const auto verdict = verdict_named(text(object, "verdict"));
  if (!verdict) throw Refused{"the verdict of " + out.name() + " is an unknown word"};
  out.verdict = *verdict;
  out.failed = flag(object, "failed");
  out.reasons = texts(object, "reasons");
  if (out.verdict != Verdict::ok && out.reasons.empty())
    throw Refused{out.name() + " has a verdict without a reason"};
  return out;
}

HostProfile host(const json::object& object) {
  HostProfile out;
  for (const auto& value : list(object, "host")) {
    const auto& one = object_of(value, "host");
    const auto kind = fact_kind_named(text(one, "kind"));
    if (!kind) throw Refused{"a fact of the host is of an unknown kind"};
    out.facts.push_back({.name = text(one, "name"),
                         .value = text(one, "value"),
                         .evidence = text(one, "evidence"),
                         .kind = *kind});
  }
  return out;
}

BenchResult result(const json::object& object) {
  if (!object.contains("pollux_bench")) throw Refused{"it is no result of pollux bench"};
  if (const auto format = integer(object, "pollux_bench"); format != BenchResult::format) {
    throw Refused{"it is of format " + std::to_string(format) + ", and this program reads format " +
                  std::to_string(BenchResult::format) + "; read it with the version that wrote it"};
  }
  if (text(object, "digest") != digest_of(object)) {
    throw Refused{"it was changed after it was written: its digest does not fit"};
  }
  BenchResult out;
  out.version = text(object, "version");
  out.started = text(object, "started");
  out.took_ns = integer(object, "took_ns");
  out.complete = flag(object, "complete");
  out.quick = flag(object, "quick");
  out.arguments = texts(object, "arguments");
  out.price_micro = natural(object, "price_micro");
  out.host = host(object);
  std::set<std::string> names;
  for (const auto& value : list(object, "cells")) {
    out.cells.push_back(cell(object_of(value, "cells")));
    if (!names.insert(out.cells.back().name()).second)
      throw Refused{out.cells.back().name() + " is in it twice"};
  }
  for (const auto& value : list(object, "findings")) {
    const auto& one = object_of(value, "findings");
    out.findings.push_back(
        {.bench = text(one, "bench"), .kind = text(one, "kind"), .text = text(one, "text")});
  }
  // Verdicts, medians and percentiles stand in the file for those who read it with other tools; they follow
  // from the rest. Written again it must come out the same, or one of them was made up.
  if (json_of(out).at("digest") != object.at("digest")) {
    throw Refused{
        "its parts contradict each other: a median, a percentile or a verdict does not follow from the rest"};
  }
  return out;
}

}  // namespace

Result<BenchResult> parse_result(std::string_view text, const std::string& where) {
  boost::system::error_code error;
  const auto value = json::parse(text, error);
  if (error) {
    return fail(Code::invalid_argument, where + ": no JSON, or cut off: " + error.message());
  }
  if (!value.is_object()) return fail(Code::invalid_argument, where + ": it is no result of pollux bench");
  try {
    return result(value.get_object());
  } catch (const Refused& refused) {
    return fail(Code::invalid_argument, where + ": " + refused.why);
  }
}

Result<BenchResult> read_result(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) return fail(Code::io_error, "can't read " + file.string() + ": " + error.message());
  if (size > BenchResult::file_bytes_max) {
    return fail(Code::invalid_argument, file.string() + ": larger than a result may be (" +
                                            std::to_string(BenchResult::file_bytes_max >> 20) + " MiB)");
  }
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return fail(Code::io_error, "can't read " + file.string());
  return parse_result(text.view(), file.string());
}

}  // namespace pollux
