// A result of `pollux bench` as its tests read it.
#pragma once

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace pollux::testing {

/// The result in what a command printed (progress may stand around it). Throws, which fails the test.
inline boost::json::value result_in(const std::string& output) {
  const auto begin = output.find("{\"pollux_bench\"");
  if (begin == std::string::npos) throw std::runtime_error("no result in: " + output);
  return boost::json::parse(output.substr(begin, output.find('\n', begin) - begin));
}

/// The first cell whose name holds `text`.
inline const boost::json::value& cell_with(const boost::json::value& result, const std::string& text) {
  for (const auto& cell : result.at("cells").as_array()) {
    if (std::string_view(cell.at("name").as_string()).find(text) != std::string_view::npos) return cell;
  }
  throw std::runtime_error("no cell with " + text + " in " + boost::json::serialize(result));
}

/// The value of `name` in a cell's "workload" or "found"; throws if it is not there.
inline std::string fact_of(const boost::json::value& cell, const std::string& part, const std::string& name) {
  for (const auto& pair : cell.at(part).as_array()) {
    if (pair.at(0).as_string() == name) return std::string(pair.at(1).as_string());
  }
  throw std::runtime_error("no " + name + " in " + part + " of " + boost::json::serialize(cell));
}

inline const boost::json::value& figure_of(const boost::json::value& cell, const std::string& name) {
  for (const auto& figure : cell.at("figures").as_array()) {
    if (figure.at("name").as_string() == name) return figure;
  }
  throw std::runtime_error("no figure " + name + " in " + boost::json::serialize(cell));
}

inline std::int64_t value_of(const boost::json::value& cell, const std::string& figure) {
  return figure_of(cell, figure).at("value").to_number<std::int64_t>();
}

/// All of a file that a command wrote.
inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace pollux::testing
