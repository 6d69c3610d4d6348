#include "pollux/bench/report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "report/page.h"

namespace pollux {

namespace {

int complain(const std::string& text) {
  std::fprintf(stderr, "bench report: %s\n", text.c_str());
  return BenchExit::failed;
}

}  // namespace

int bench_report(const ReportOptions& options) {
  std::vector<ReportedResult> results;
  for (const auto& file : options.files) {
    auto result = read_result(file);
    if (!result) return complain(result.error().text);
    results.push_back({.name = file.filename().string(), .result = std::move(*result)});
  }
  const auto page = report_page(results);
  // Written beside it and renamed: the whole file or none.
  const std::filesystem::path beside = options.output.string() + ".partial";
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out << page;
    out.flush();
    if (!out) {
      const int error = errno;
      std::error_code ignored;
      std::filesystem::remove(beside, ignored);
      return complain("can't write " + options.output.string() + ": " + std::strerror(error));
    }
  }
  if (std::rename(beside.c_str(), options.output.c_str()) != 0) {
    const int error = errno;
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    return complain("can't make " + options.output.string() + ": " + std::strerror(error));
  }
  std::fprintf(stderr, "written to %s\n", options.output.c_str());
  return BenchExit::ok;
}

}  // namespace pollux
