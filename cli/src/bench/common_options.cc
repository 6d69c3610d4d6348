#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/add.h"
#include "located.h"

namespace pollux {

namespace {

constexpr std::uint64_t million = 1'000'000;

// "0.0168" as 16800 millionths, without a detour over floating point; none if it is no such number.
std::optional<std::uint64_t> millionths_of(const std::string& text) {
  const auto point = std::min(text.find('.'), text.size());
  const std::string whole = text.substr(0, point);
  std::string fraction = point < text.size() ? text.substr(point + 1) : "";
  constexpr std::size_t whole_digits_max = 9, fraction_digits = 6;
  if (whole.empty() || whole.size() > whole_digits_max || fraction.size() > fraction_digits)
    return std::nullopt;
  if ((whole + fraction).find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  fraction.resize(fraction_digits, '0');
  return std::stoull(whole) * million + std::stoull(fraction);
}

void add_forms(CLI::App& subcommand, const std::shared_ptr<BenchCommon>& common) {
  auto* json = subcommand.add_flag_callback(
      "--json", [common] { common->form = BenchForm::json; },
      "the result as JSON on standard output, instead of a table");
  auto* csv = subcommand.add_flag_callback(
      "--csv", [common] { common->form = BenchForm::csv; }, "the result as comma-separated values");
  auto* markdown = subcommand.add_flag_callback(
      "--markdown", [common] { common->form = BenchForm::markdown; }, "the result as Markdown");
  json->excludes(csv)->excludes(markdown);
  csv->excludes(markdown);
}

}  // namespace

std::uint64_t bytes_of(const std::string& size, std::uint64_t least, std::uint64_t most) {
  const auto digits = std::min(size.find_first_not_of("0123456789"), size.size());
  const auto unit = size.substr(digits);
  constexpr std::size_t digits_max = 12;
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : 0;
  if (digits == 0 || digits > digits_max || (shift == 0 && !unit.empty())) {
    throw CLI::ValidationError("'" + size + "' is no size; write it like 100, 4K or 1M");
  }
  const auto bytes = std::stoull(size.substr(0, digits)) << shift;
  if (bytes < least || bytes > most) {
    throw CLI::ValidationError("a size must be " + std::to_string(least) + " to " + std::to_string(most) +
                               " bytes, and '" + size + "' is not");
  }
  return bytes;
}

std::shared_ptr<BenchCommon> add_common_options(CLI::App& subcommand, const BenchCli& cli) {
  auto common = std::make_shared<BenchCommon>();
  common->command = program_path();
  common->arguments = cli.arguments;
  subcommand
      .add_option_function<std::string>(
          "--directory", [common](const std::string& path) { common->directory = path; },
          "everything is stored on the disk this is on")
      ->default_str(".");
  subcommand
      .add_option("--runs", common->runs, "times that each cell is measured; a comparison stands on them")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  subcommand.add_flag("--quick", common->quick,
                      "fewer and smaller cells: to see that it works, not to decide on");
  add_forms(subcommand, common);
  subcommand.add_option_function<std::string>(
      "--output", [common](const std::string& path) { common->output = path; },
      "the result is also written to this file, as JSON: for compare and report");
  subcommand.add_option(
      "--threshold", common->thresholds,
      "a limit to keep, such as 'commit.p99<2ms'; exit code 4 if it is missed; may be given more "
      "than once");
  subcommand.add_flag("--redact", common->redact,
                      "leave names and serial numbers of this host out of the result");
  subcommand
      .add_option("--declare", common->declared,
                  "what this host is, by your word, told beside what was found out")
      ->check(CLI::IsMember({"metal", "vm", "container"}));
  subcommand.add_option_function<std::string>(
      "--price-per-hour",
      [common](const std::string& price) {
        const auto micro = millionths_of(price);
        if (!micro) throw CLI::ValidationError("'" + price + "' is no price; write it like 0.0168");
        common->price_micro = *micro;
      },
      "of this host, in any unit of money: for work per unit in compare and report");
  return common;
}

}  // namespace pollux
