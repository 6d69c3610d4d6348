#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "run/json_parts.h"
#include "run/result.h"

namespace pollux {

namespace json = boost::json;

namespace {

json::value or_null(const std::optional<std::uint64_t>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

// Pairs, not an object: their order is kept, and a name may not be twice.
json::array facts_json(const Facts& facts) {
  json::array list;
  for (const auto& [name, value] : facts) list.push_back(json::array{name, value});
  return list;
}

json::object histogram_json(const Histogram& times) {
  // Number of the bucket as its distance from the one before, then its samples: short, and exact.
  json::array filled;
  std::uint32_t before = 0;
  for (const auto& [bucket, samples] : times.filled()) {
    filled.emplace_back(bucket - before);
    filled.emplace_back(samples);
    before = bucket;
  }
  auto object = json_of(times);
  object["sum_ns"] = times.sum_ns();
  object["overflow"] = times.overflow();
  object["censored"] = times.censored();
  object["anomalies"] = times.anomalies();
  object["buckets"] = std::move(filled);
  return object;
}

json::object figure_json(const Figure& figure) {
  json::array runs, late;
  for (const auto run : figure.runs) runs.emplace_back(run);
  for (const auto run : figure.runs_p99) late.emplace_back(run);
  json::object object{{"name", figure.name},
                      {"unit", to_string(figure.unit)},
                      {"better", to_string(figure.better)},
                      {"value", figure.value() ? json::value(*figure.value()) : json::value(nullptr)},
                      {"runs", std::move(runs)}};
  if (!figure.is_distribution()) return object;
  object["runs_p99"] = std::move(late);
  object["times"] = histogram_json(figure.times);
  return object;
}

json::object counters_json(const HostCounters& counters) {
  return {{"elapsed_ns", counters.elapsed_ns},
          {"cpu_ticks", counters.cpu_ticks},
          {"stolen_ticks", counters.stolen_ticks},
          {"foreign_ticks", counters.foreign_ticks},
          {"throttled_us", or_null(counters.throttled_us)},
          {"pressure_cpu_us", or_null(counters.pressure_cpu_us)},
          {"pressure_io_us", or_null(counters.pressure_io_us)},
          {"pressure_memory_us", or_null(counters.pressure_memory_us)},
          {"migrations", or_null(counters.migrations)},
          {"retransmits", or_null(counters.retransmits)},
          {"flushes", or_null(counters.flushes)}};
}

json::object cell_json(const Cell& cell) {
  json::array figures;
  for (const auto& figure : cell.figures) figures.push_back(figure_json(figure));
  return {{"name", cell.name()},
          {"bench", cell.bench},
          {"workload", facts_json(cell.workload)},
          {"found", facts_json(cell.found)},
          {"runs", cell.runs},
          {"figures", std::move(figures)},
          {"counters", counters_json(cell.counters)},
          {"verdict", to_string(cell.verdict)},
          {"failed", cell.failed},
          {"reasons", json_of(cell.reasons)}};
}

json::array host_json(const HostProfile& host) {
  json::array list;
  for (const auto& fact : host.facts) {
    list.push_back(json::object{{"name", fact.name},
                                {"value", fact.value},
                                {"evidence", fact.evidence},
                                {"kind", to_string(fact.kind)}});
  }
  return list;
}

}  // namespace

std::string digest_of(const json::object& object) {
  auto bare = object;
  bare.erase("digest");
  const std::string text = json::serialize(bare);
  std::array<unsigned char, crypto_generichash_BYTES> digest{};
  crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                     nullptr, 0);
  std::string hex(digest.size() * 2 + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  hex.pop_back();
  return hex;
}

json::object json_of(const BenchResult& result) {
  json::array cells, findings;
  for (const auto& cell : result.cells) cells.push_back(cell_json(cell));
  for (const auto& finding : result.findings) {
    findings.push_back(json::object{{"bench", finding.bench}, {"kind", finding.kind}, {"text", finding.text}});
  }
  json::object object{{"pollux_bench", BenchResult::format},
                      {"version", result.version},
                      {"started", result.started},
                      {"took_ns", result.took_ns},
                      {"complete", result.complete},
                      {"quick", result.quick},
                      {"verdict", to_string(result.verdict())},
                      {"failed", result.failed()},
                      {"arguments", json_of(result.arguments)},
                      {"price_micro", result.price_micro},
                      {"host", host_json(result.host)},
                      {"cells", std::move(cells)},
                      {"findings", std::move(findings)}};
  object["digest"] = digest_of(object);
  return object;
}

Verdict BenchResult::verdict() const {
  const auto has = [this](Verdict verdict) { return std::ranges::find(cells, verdict, &Cell::verdict) != cells.end(); };
  if (has(Verdict::invalid)) return Verdict::invalid;
  return has(Verdict::noisy) ? Verdict::noisy : Verdict::ok;
}

bool BenchResult::failed() const { return std::ranges::find(cells, true, &Cell::failed) != cells.end(); }

Result<void> write_result(const BenchResult& result, const std::filesystem::path& file) {
  const auto beside = std::filesystem::path(file.string() + ".partial");
  const auto failed = [&](const std::string& what) {
    const int error = errno;
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    return std::unexpected(Error{error == ENOSPC ? Code::disk_full : Code::io_error,
                                 "can't " + what + " " + file.string() + ": " + std::strerror(error)});
  };
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    if (!out) return failed("write");
    out << json::serialize(json_of(result)) << "\n";
    out.flush();
    if (!out) return failed("write");
  }
  if (::rename(beside.c_str(), file.c_str()) != 0) return failed("make");
  return {};
}

}  // namespace pollux
