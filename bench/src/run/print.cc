#include "run/print.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <ostream>

#include "run/format.h"
#include "run/sections.h"

namespace pollux {

// A cell of a Markdown table can't hold a bar or a line's end.
std::string markdown_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '*' || c == '_' || c == '<' || c == '`') safe += '\\';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return safe;
}

namespace {

void print_padded(std::ostream& out, const std::string& text, std::size_t width, bool right) {
  const std::string pad(width > text.size() ? width - text.size() : 0, ' ');
  out << (right ? pad + text : text + pad);
}

void print_table(const Section& section, std::ostream& out) {
  out << "\n" << section.title << "\n";
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < section.headings.size(); ++column) {
    std::size_t width = section.headings[column].size();
    for (const auto& row : section.rows) width = std::max(width, row[column].size());
    widths.push_back(width);
  }
  const auto print_row = [&](const std::vector<std::string>& row) {
    out << " ";
    for (std::size_t column = 0; column < row.size(); ++column) {
      out << (column == 0 ? " " : "  ");
      // Nothing follows the last column, so no spaces either.
      const bool last = column + 1 == row.size() && !section.right[column];
      print_padded(out, row[column], last ? 0 : widths[column], section.right[column]);
    }
    out << "\n";
  };
  if (!section.headings.empty()) print_row(section.headings);
  for (const auto& row : section.rows) print_row(row);
  for (const auto& note : section.notes) out << "  " << note << "\n";
}

void print_markdown(const Section& section, std::ostream& out) {
  out << "\n## " << markdown_text(section.title) << "\n\n";
  if (!section.rows.empty()) {
    out << "|";
    for (const auto& heading : section.headings) out << " " << markdown_text(heading) << " |";
    out << "\n|";
    for (const bool right : section.right) out << (right ? " ---: |" : " --- |");
    out << "\n";
    for (const auto& row : section.rows) {
      out << "|";
      for (const auto& text : row) out << " " << markdown_text(text) << " |";
      out << "\n";
    }
    out << "\n";
  }
  for (const auto& note : section.notes) out << "- " << markdown_text(note) << "\n";
}

// RFC 4180, section 2: quotes around what holds a comma, a quote or a line's end; quotes doubled.
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string number(std::optional<std::int64_t> value) { return value ? std::to_string(*value) : ""; }

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const auto& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

void print_csv_row(std::ostream& out, const std::vector<std::string>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) out << (i == 0 ? "" : ",") << csv_text(row[i]);
  out << "\r\n";
}

void print_csv(const HostProfile& host, std::ostream& out) {
  print_csv_row(out, {"fact", "value", "told_from", "kind"});
  for (const auto& fact : host.facts) {
    print_csv_row(out, {fact.name, fact.value, fact.evidence, std::string(to_string(fact.kind))});
  }
}

void print_csv(const BenchResult& result, std::ostream& out) {
  if (result.cells.empty() && result.findings.empty()) {
    print_csv(result.host, out);
    return;
  }
  print_csv_row(out, {"bench", "cell", "figure", "unit", "better", "value", "runs", "samples", "p50_ns",
                      "p90_ns", "p99_ns", "p999_ns", "largest_ns", "verdict", "reasons"});
  for (const auto& cell : result.cells) {
    const auto row = [&](const Figure& figure) {
      const auto& times = figure.times;
      const bool told = figure.is_distribution();
      print_csv_row(out, {cell.bench, cell.name(), figure.name, std::string(to_string(figure.unit)),
                          std::string(to_string(figure.better)), number(figure.value()),
                          std::to_string(figure.runs.size()), told ? std::to_string(times.count()) : "",
                          number(times.percentile_ns(p50)), number(times.percentile_ns(p90)),
                          number(times.percentile_ns(p99)), number(times.percentile_ns(p999)),
                          told ? std::to_string(times.largest_ns()) : "",
                          std::string(to_string(cell.verdict)), joined(cell.reasons)});
    };
    for (const auto& figure : cell.figures) row(figure);
    if (cell.figures.empty()) {
      print_csv_row(out, {cell.bench, cell.name(), "", "", "", "", "0", "", "", "", "", "", "",
                          std::string(to_string(cell.verdict)), joined(cell.reasons)});
    }
  }
}

}  // namespace

void print_section(const Section& section, BenchForm form, std::ostream& out) {
  if (form == BenchForm::markdown) {
    print_markdown(section, out);
  } else {
    print_table(section, out);
  }
}

void print_result(const BenchResult& result, BenchForm form, std::ostream& out) {
  switch (form) {
    case BenchForm::json:
      out << boost::json::serialize(json_of(result)) << "\n";
      return;
    case BenchForm::csv:
      print_csv(result, out);
      return;
    case BenchForm::markdown:
      out << "# pollux bench\n";
      for (const auto& line : heading_of(result)) out << "\n" << markdown_text(line) << "\n";
      for (const auto& section : sections_of(result)) print_markdown(section, out);
      return;
    case BenchForm::table:
      for (const auto& line : heading_of(result)) out << line << "\n";
      for (const auto& section : sections_of(result)) print_table(section, out);
      return;
  }
}

}  // namespace pollux
