#include "compare/compare_print.h"

#include <algorithm>
#include <boost/json.hpp>
#include <ostream>

#include "compare/words.h"
#include "run/format.h"
#include "run/print.h"
#include "run/wide.h"

namespace pollux {

namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string interval_text(const std::optional<RatioInterval>& interval) {
  if (!interval) return "-";
  return ratio_ppm_text(interval->ppm) + " [" + ratio_ppm_text(interval->low_ppm) + ", " +
         ratio_ppm_text(interval->high_ppm) + "]";
}

void add_column(Section& section, std::string heading, bool right) {
  section.headings.push_back(std::move(heading));
  section.right.push_back(right);
}

// Work for one unit of money: a rate for an hour, by the hour's price.
std::string work_text(const FigureComparison& figure, std::optional<std::int64_t> rate,
                      std::uint64_t price_micro) {
  if (!rate || *rate < 0 || price_micro == 0) return "-";
  constexpr Wide hour_s = 3600, million = 1'000'000;
  const auto per_second = static_cast<Wide>(static_cast<std::uint64_t>(*rate));
  const auto whole =
      per_second * hour_s * million / price_micro / (figure.unit == Unit::per_second_milli ? 1000 : 1);
  const auto shown = whole > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(whole);
  return figure.unit == Unit::per_second_milli ? count_text(shown) : bytes_text(shown);
}

std::string value_or_dash(const FigureComparison& figure, std::optional<std::int64_t> value) {
  return value ? value_text(figure.unit, *value) : "-";
}

// What disturbed the whole measurement is a reason of each cell, and is told once.
class Reasons {
 public:
  void add(const std::string& reason, const std::string& workload) {
    const auto known = std::ranges::find(list_, reason, &One::reason);
    if (known == list_.end()) {
      list_.push_back({reason, workload, 1});
    } else {
      ++known->cells;
    }
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const auto& one : list_) {
      lines.push_back((one.cells == 1 ? one.workload : std::to_string(one.cells) + " cells") + ": " +
                      one.reason);
    }
    return lines;
  }

 private:
  struct One {
    std::string reason, workload;
    std::size_t cells = 0;
  };
  std::vector<One> list_;
};

struct Extra {
  bool reference = false, money = false;
};

Section section_of(const Comparison& comparison, const std::string& bench) {
  Section section{.title = bench, .headings = {}, .right = {}, .rows = {}, .notes = {}};
  Extra extra;
  Reasons reasons;
  for (const auto& cell : comparison.cells) {
    if (cell.bench != bench) continue;
    for (const auto& figure : cell.figures) {
      extra.reference = extra.reference || figure.per_reference;
      extra.money = extra.money || figure.per_money;
    }
  }
  for (const auto* heading : {"workload", "figure"}) add_column(section, heading, false);
  for (const auto* heading : {"A", "B", "B / A [95 %]"}) add_column(section, heading, true);
  if (extra.reference) add_column(section, "per reference-loop speed", true);
  if (extra.money) {
    for (const auto* heading : {"A per money", "B per money", "B / A"}) add_column(section, heading, true);
  }
  add_column(section, "shown", false);
  for (const auto& cell : comparison.cells) {
    if (cell.bench != bench) continue;
    std::string workload;
    for (const auto& [key, value] : cell.workload)
      workload += (workload.empty() ? "" : " ") + key + "=" + value;
    for (const auto& figure : cell.figures) {
      std::vector<std::string> row = {workload, figure.figure, value_or_dash(figure, figure.a),
                                      value_or_dash(figure, figure.b), interval_text(figure.ratio)};
      if (extra.reference) row.push_back(interval_text(figure.per_reference));
      if (extra.money) {
        const bool rate = figure.per_money.has_value();
        row.push_back(rate ? work_text(figure, figure.a, comparison.a.result.price_micro) : "-");
        row.push_back(rate ? work_text(figure, figure.b, comparison.b.result.price_micro) : "-");
        row.push_back(interval_text(figure.per_money));
      }
      row.push_back(figure.text);
      section.rows.push_back(std::move(row));
    }
    for (const auto& reason : cell.reasons) reasons.add(reason, workload);
  }
  section.notes = reasons.lines();
  return section;
}

Section section_of(const std::string& title, const std::vector<HostDifference>& differences) {
  Section section{.title = title, .headings = {}, .right = {}, .rows = {}, .notes = {}};
  for (const auto* heading : {"fact", "A", "B"}) add_column(section, heading, false);
  for (const auto& one : differences) section.rows.push_back({one.name, one.a, one.b});
  return section;
}

std::vector<std::string> heading_of(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const auto& [side, letter] : {std::pair{&comparison.a, "A"}, std::pair{&comparison.b, "B"}}) {
    lines.push_back(std::string(letter) + ": " + joined(side->files, ", ") + "; measured " +
                    side->result.started + " by pollux " + side->result.version);
  }
  if (!comparison.different_keys.empty()) {
    lines.push_back("intended factor: " + joined(comparison.different_keys, ", ") + " of the workload");
  }
  if (comparison.reference_speed) {
    lines.push_back("reference loop: " + comparison.reference + ": B / A " +
                    interval_text(comparison.reference_speed) +
                    "; what is told per reference-loop speed is divided by it");
  }
  return lines;
}

Section notes_of(const Comparison& comparison) {
  Section section{.title = "notes", .headings = {}, .right = {}, .rows = {}, .notes = comparison.notes};
  for (const auto& name : comparison.only_a) section.notes.push_back("only in A: " + name);
  for (const auto& name : comparison.only_b) section.notes.push_back("only in B: " + name);
  return section;
}

std::vector<Section> sections_of(const Comparison& comparison) {
  std::vector<Section> sections;
  const auto& hosts = comparison.hosts;
  if (!hosts.intended.empty()) sections.push_back(section_of("intended factor", hosts.intended));
  if (!hosts.confounders.empty())
    sections.push_back(section_of("confounders: may explain a difference as well", hosts.confounders));
  if (!hosts.harmless.empty()) sections.push_back(section_of("harmless differences", hosts.harmless));
  std::vector<std::string> benches;
  for (const auto& cell : comparison.cells) {
    if (std::ranges::find(benches, cell.bench) == benches.end()) benches.push_back(cell.bench);
  }
  for (const auto& bench : benches) sections.push_back(section_of(comparison, bench));
  if (auto notes = notes_of(comparison); !notes.notes.empty()) sections.push_back(std::move(notes));
  return sections;
}

}  // namespace

void print_comparison(const Comparison& comparison, BenchForm form, std::ostream& out) {
  if (form == BenchForm::json) {
    out << boost::json::serialize(json_of(comparison)) << "\n";
    return;
  }
  const bool markdown = form == BenchForm::markdown;
  if (markdown) out << "# pollux bench compare\n";
  for (const auto& line : heading_of(comparison)) {
    out << (markdown ? "\n" + markdown_text(line) : line) << "\n";
  }
  for (const auto& section : sections_of(comparison)) print_section(section, form, out);
}

}  // namespace pollux
