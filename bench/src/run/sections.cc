#include "run/sections.h"

#include <algorithm>

#include "run/format.h"

namespace pollux {

namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// The columns that the cells of one measurement need between them.
struct Columns {
  std::vector<std::string> workload, distributions, numbers;
};

Columns columns_of(const std::vector<const Cell*>& cells) {
  Columns columns;
  for (const auto* cell : cells) {
    for (const auto& [name, value] : cell->workload) add_once(columns.workload, name);
    for (const auto& figure : cell->figures) {
      add_once(figure.is_distribution() ? columns.distributions : columns.numbers, figure.name);
    }
  }
  return columns;
}

void add_column(Section& section, std::string heading, bool right) {
  section.headings.push_back(std::move(heading));
  section.right.push_back(right);
}

std::string number_text(const Cell& cell, const std::string& name) {
  const auto* figure = cell.figure(name);
  const auto value = figure == nullptr || figure->is_distribution() ? std::nullopt : figure->value();
  return value ? value_text(figure->unit, *value) : "-";
}

constexpr Percentile shown[] = {p50, p99, p999};

std::vector<std::string> row_of(const Cell& cell, const Columns& columns) {
  std::vector<std::string> row;
  for (const auto& name : columns.workload) row.emplace_back(fact(cell.workload, name));
  for (const auto& name : columns.distributions) {
    const auto* figure = cell.figure(name);
    const bool there = figure != nullptr && figure->is_distribution();
    for (const auto percentile : shown) {
      row.push_back(there ? time_text(figure->times.percentile_ns(percentile)) : "-");
    }
    row.push_back(there ? time_text(figure->times.largest_ns()) : "-");
  }
  for (const auto& name : columns.numbers) row.push_back(number_text(cell, name));
  row.emplace_back(to_string(cell.verdict));
  return row;
}

// Parts of the workload that are the same in all of these cells: told once, above the table.
std::string take_common(const std::vector<const Cell*>& cells, Columns& columns) {
  std::string common;
  if (cells.size() < 2) return common;
  std::erase_if(columns.workload, [&](const std::string& name) {
    const auto value = fact(cells.front()->workload, name);
    if (!std::ranges::all_of(cells, [&](const Cell* cell) { return fact(cell->workload, name) == value; }))
      return false;
    common += (common.empty() ? "" : ", ") + name + " " + std::string(value);
    return true;
  });
  return common;
}

std::string short_name(const Cell& cell, const Columns& columns) {
  std::string text;
  for (const auto& name : columns.workload)
    text += (text.empty() ? "" : " ") + std::string(fact(cell.workload, name));
  return text.empty() ? cell.name() : text;
}

Section section_of(const std::string& bench, const std::vector<const Cell*>& cells) {
  Section section{.title = bench, .headings = {}, .right = {}, .rows = {}, .notes = {}};
  auto columns = columns_of(cells);
  if (const auto common = take_common(cells, columns); !common.empty()) section.title += ": " + common;
  for (const auto& name : columns.workload) add_column(section, name, false);
  for (const auto& name : columns.distributions) {
    add_column(section, name + " p50", true);
    for (const auto* part : {"p99", "p99.9", "longest"}) add_column(section, part, true);
  }
  for (const auto& name : columns.numbers) add_column(section, name, true);
  add_column(section, "verdict", false);
  for (const auto* cell : cells) section.rows.push_back(row_of(*cell, columns));
  for (const auto* cell : cells) {
    for (const auto& reason : cell->reasons) {
      section.notes.push_back(std::string(to_string(cell->verdict)) + ": " + short_name(*cell, columns) +
                              ": " + reason);
    }
  }
  return section;
}

// Cells with other figures need other columns: they are a table of their own. Those without any go with the
// first.
std::vector<std::vector<const Cell*>> tables_of(const std::string& bench, const BenchResult& result) {
  std::vector<std::vector<const Cell*>> tables;
  std::vector<std::string> headlines;
  std::vector<const Cell*> bare;
  for (const auto& cell : result.cells) {
    if (cell.bench != bench) continue;
    if (cell.figures.empty()) {
      bare.push_back(&cell);
      continue;
    }
    const auto& headline = cell.figures.front().name;
    const auto at = std::ranges::find(headlines, headline);
    if (at == headlines.end()) {
      headlines.push_back(headline);
      tables.push_back({&cell});
    } else {
      tables[static_cast<std::size_t>(at - headlines.begin())].push_back(&cell);
    }
  }
  if (tables.empty() && !bare.empty()) tables.emplace_back();
  if (!bare.empty()) tables.front().insert(tables.front().end(), bare.begin(), bare.end());
  return tables;
}

// All that is known of the host: what a result is about that has no cells.
Section section_of(const HostProfile& host) {
  Section section{.title = "host", .headings = {}, .right = {}, .rows = {}, .notes = {}};
  for (const auto* heading : {"fact", "value (told from)"}) add_column(section, heading, false);
  // One column, since the longest value would push everything told from far to the right.
  for (const auto& one : host.facts) {
    section.rows.push_back({one.name, one.value + (one.evidence.empty() ? "" : " (" + one.evidence + ")")});
  }
  return section;
}

}  // namespace

std::vector<Section> sections_of(const BenchResult& result) {
  std::vector<std::string> benches;
  for (const auto& cell : result.cells) add_once(benches, cell.bench);
  for (const auto& finding : result.findings) add_once(benches, finding.bench);
  std::vector<Section> sections;
  if (benches.empty()) sections.push_back(section_of(result.host));
  for (const auto& bench : benches) {
    for (const auto& cells : tables_of(bench, result)) sections.push_back(section_of(bench, cells));
    for (const auto& finding : result.findings) {
      if (finding.bench != bench) continue;
      if (sections.empty() || !sections.back().title.starts_with(bench))
        sections.push_back({.title = bench, .headings = {}, .right = {}, .rows = {}, .notes = {}});
      sections.back().notes.push_back(finding.kind + ": " + finding.text);
    }
  }
  return sections;
}

std::vector<std::string> heading_of(const BenchResult& result) {
  std::vector<std::string> lines;
  const auto value = [&result](std::string_view name) -> std::string {
    const auto found = std::ranges::find(result.host.facts, name, &HostFact::name);
    return found == result.host.facts.end() ? "unknown" : found->value;
  };
  lines.push_back(value("cpu.model") + ", " + value("cpu.usable") + " CPUs; vm: " + value("vm") +
                  "; container: " + value("container") + "; " + value("kernel"));
  lines.push_back("measured " + result.started + " in " + time_text(result.took_ns) + " by pollux " +
                  result.version + (result.quick ? "; quick: to see that it works, not to decide on" : "") +
                  (result.complete ? "" : "; INCOMPLETE: interrupted"));
  return lines;
}

}  // namespace pollux
