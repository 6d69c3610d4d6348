#include <algorithm>
#include <charconv>
#include <map>

#include "compare/ratio.h"
#include "report/charts.h"
#include "report/markup.h"
#include "report/page.h"
#include "report/published.h"
#include "run/format.h"
#include "run/sections.h"
#include "run/wide.h"

namespace pollux {

namespace {

// A cell with the place of its result in the report.
struct Placed {
  const Cell* cell = nullptr;
  unsigned result = 0;
};

constexpr std::size_t curves_max = 8, bars_max = 60, charts_max = 6;

std::string with_figure(const std::string& svg) {
  return svg.empty() ? "" : "<figure>" + svg + "</figure>\n";
}

std::vector<Placed> cells_of(const std::vector<ReportedResult>& results, const std::string& bench) {
  std::vector<Placed> cells;
  unsigned number = 0;
  for (const auto& one : results) {
    for (const auto& cell : one.result.cells) {
      if (cell.bench == bench && !cell.figures.empty() && cell.verdict != Verdict::not_available)
        cells.push_back({&cell, number});
    }
    ++number;
  }
  return cells;
}

// What tells the cells apart: the parts of the workload that are not the same in all.
std::vector<std::string> varied_keys(const std::vector<Placed>& cells) {
  std::vector<std::string> keys;
  for (const auto& placed : cells) {
    for (const auto& [key, value] : placed.cell->workload) {
      const bool varied = std::ranges::any_of(
          cells, [&](const Placed& other) { return fact(other.cell->workload, key) != value; });
      if (varied && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number > INT64_MAX) return std::nullopt;
  return number;
}

class BenchCharts {
 public:
  BenchCharts(const std::vector<ReportedResult>& results, const std::string& bench)
      : bench_(bench),
        several_(results.size() > 1),
        cells_(cells_of(results, bench)),
        keys_(varied_keys(cells_)) {}

  std::string all() {
    std::string out;
    for (const auto& [name, cells] : by_headline()) {
      out += percentiles(name, cells) + sizes(name, cells) + places(name, cells) + bars(name, cells);
    }
    return out;
  }
  [[nodiscard]] std::string published_legend() const;

 private:
  using Group = std::vector<Placed>;
  [[nodiscard]] std::vector<std::pair<std::string, Group>> by_headline() const {
    std::vector<std::pair<std::string, Group>> groups;
    for (const auto& placed : cells_) {
      const auto& name = placed.cell->figures.front().name;
      auto at = std::ranges::find(groups, name, &std::pair<std::string, Group>::first);
      if (at == groups.end()) at = groups.insert(groups.end(), {name, {}});
      at->second.push_back(placed);
    }
    return groups;
  }
  [[nodiscard]] std::string name_of(const Placed& placed, std::string_view but = "") const {
    std::string text = several_ ? std::string(1, static_cast<char>('A' + placed.result % 26)) : "";
    for (const auto& key : keys_) {
      const auto value = fact(placed.cell->workload, key);
      if (key == but || value.empty()) continue;
      const auto bytes = key == "bytes" ? number_in(value) : std::nullopt;
      text += (text.empty() ? "" : " ") + (bytes ? size_text(*bytes) : std::string(value));
    }
    return text.empty() ? placed.cell->bench : text;
  }

  std::string percentiles(const std::string& figure, const Group& cells) const {
    // One chart a size, so that a chart compares what may be compared.
    std::vector<std::pair<std::string, std::vector<Curve>>> charts;
    for (const auto& placed : cells) {
      const auto& times = placed.cell->figures.front().times;
      if (!times.percentile_ns(p90)) continue;
      const std::string size(fact(placed.cell->workload, "bytes"));
      auto at = std::ranges::find_if(
          charts, [&](const auto& chart) { return chart.first == size && chart.second.size() < curves_max; });
      if (at == charts.end()) at = charts.insert(charts.end(), {size, {}});
      at->second.push_back({name_of(placed, "bytes"), &times});
    }
    std::string out;
    std::size_t drawn = 0;
    for (const auto& [size, curves] : charts) {
      if (drawn++ == charts_max) {
        out += "<p class=\"soft\">" + std::to_string(charts.size() - charts_max) +
               " more charts of this kind are left out; their figures are in the table.</p>\n";
        break;
      }
      const auto bytes = number_in(size);
      const auto title = bench_ + ": " + figure + (bytes ? ", " + size_text(*bytes) : "") + ", by percentile";
      out += "<h3>" + escaped(title) + "</h3>\n" + with_figure(percentile_chart(title, curves));
    }
    return out;
  }

  std::string sizes(const std::string& figure, const Group& cells) const {
    std::vector<SizeLine> lines;
    for (const auto& placed : cells) {
      const auto bytes = number_in(fact(placed.cell->workload, "bytes"));
      const auto value = placed.cell->figures.front().value();
      if (!bytes || *bytes == 0 || !value) continue;
      const auto name = name_of(placed, "bytes");
      auto at = std::ranges::find(lines, name, &SizeLine::name);
      if (at == lines.end()) {
        if (lines.size() == curves_max) continue;
        at = lines.insert(lines.end(), {name, {}});
      }
      at->points.push_back({*bytes, *value});
    }
    if (lines.empty()) return "";
    const auto title = bench_ + ": " + figure + " by size";
    const auto svg = size_chart(title, cells.front().cell->figures.front().unit, lines);
    return svg.empty() ? "" : "<h3>" + escaped(title) + "</h3>\n" + with_figure(svg);
  }

  std::string places(const std::string& figure, const Group& cells) const {
    HeatMap map;
    std::map<std::uint64_t, std::string> sizes;
    for (const auto& placed : cells) {
      const auto bytes = number_in(fact(placed.cell->workload, "bytes"));
      if (!bytes || fact(placed.cell->workload, "place").empty()) continue;
      sizes.emplace(*bytes, size_text(*bytes));
      const auto row = name_of(placed, "bytes");
      if (std::ranges::find(map.rows, row) == map.rows.end()) map.rows.push_back(row);
    }
    if (sizes.size() < 2 || map.rows.size() < 2) return "";
    for (const auto& [bytes, text] : sizes) map.columns.push_back(text);
    map.values.assign(map.rows.size(), std::vector<std::optional<std::int64_t>>(map.columns.size()));
    for (const auto& placed : cells) {
      const auto bytes = number_in(fact(placed.cell->workload, "bytes"));
      const auto row = std::ranges::find(map.rows, name_of(placed, "bytes"));
      if (!bytes || row == map.rows.end() || !sizes.contains(*bytes)) continue;
      const auto column = std::distance(sizes.begin(), sizes.find(*bytes));
      map.values[static_cast<std::size_t>(row - map.rows.begin())][static_cast<std::size_t>(column)] =
          placed.cell->figures.front().value();
    }
    const auto title = bench_ + ": " + figure + " by size and place";
    return "<h3>" + escaped(title) + "</h3>\n" +
           with_figure(heat_map(title, cells.front().cell->figures.front().unit, map));
  }

  std::string bars(const std::string& figure, const Group& cells) {
    std::vector<Bar> bars;
    const auto unit = cells.front().cell->figures.front().unit;
    for (const auto& placed : cells) {
      const auto& headline = placed.cell->figures.front();
      if (bars.size() >= bars_max || headline.unit != unit) continue;
      bars.push_back(
          {.name = name_of(placed), .runs = headline.runs, .series = placed.result, .published = false});
      for (const auto& beside : published_beside(*placed.cell, headline)) {
        bars.push_back({.name = "published: " + beside.figure->subject,
                        .runs = {*beside.figure->value},
                        .series = 0,
                        .published = true});
        note(beside, headline);
      }
    }
    const auto title = bench_ + ": " + figure + ", median and spread of the runs";
    const auto svg = bars_chart(title, unit, bars);
    if (svg.empty()) return "";
    const auto left_out = cells.size() > bars_max ? "<p class=\"soft\">Only the first " +
                                                        std::to_string(bars_max) + " are drawn.</p>\n"
                                                  : std::string();
    return "<h3>" + escaped(title) + "</h3>\n" + with_figure(svg) + left_out;
  }

  void note(const PublishedBeside& beside, const Figure& ours) {
    const auto& one = *beside.figure;
    std::string flags;
    for (const auto& flag : one.flags) flags += (flags.empty() ? "" : "; ") + flag_in_words(flag);
    std::string ratio = beside.why_no_ratio;
    if (beside.same_workload && ours.value() && *ours.value() > 0 && *one.value > 0) {
      const auto interval = bootstrap_ratio({{{*one.value}, ours.runs}});
      ratio = interval ? "measured here / published: " + ratio_ppm_text(interval->ppm) : "-";
    }
    std::vector<std::string> row = {one.subject, one.metric, one.printed, flags, one.source, ratio};
    if (std::ranges::find(published_, row) == published_.end()) published_.push_back(std::move(row));
  }

  std::string bench_;
  bool several_;
  std::vector<Placed> cells_;
  std::vector<std::string> keys_;
  std::vector<std::vector<std::string>> published_;
};

std::string BenchCharts::published_legend() const {
  if (published_.empty()) return "";
  return html_table("Published figures: the hollow marks. They were not measured here.",
                    {"of", "figure", "published", "to be known of it", "source", "ratio"},
                    {false, false, true, false, false, false}, published_);
}

}  // namespace

std::string bench_section(const std::vector<ReportedResult>& results, const std::string& bench) {
  std::string out = "<section>\n<h2 id=\"bench-" + escaped(bench) + "\">" + escaped(bench) + "</h2>\n";
  BenchCharts charts(results, bench);
  out += charts.all();
  out += charts.published_legend();
  for (const auto& one : results) {
    for (const auto& section : sections_of(one.result)) {
      if (section.title != bench && !section.title.starts_with(bench + ":")) continue;
      const auto caption = (results.size() > 1 ? one.name + " \xe2\x80\x94 " : "") + section.title;
      if (!section.rows.empty()) out += html_table(caption, section.headings, section.right, section.rows);
      if (section.notes.empty()) continue;
      out += "<details open=\"open\"><summary>Verdicts and findings (" +
             std::to_string(section.notes.size()) + ")</summary>\n<ul class=\"notes\">\n";
      for (const auto& note : section.notes) out += "<li>" + escaped(note) + "</li>\n";
      out += "</ul></details>\n";
    }
  }
  return out + "</section>\n";
}

}  // namespace pollux
