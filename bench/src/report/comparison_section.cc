#include "report/charts.h"
#include "report/markup.h"
#include "report/page.h"
#include "run/format.h"

namespace pollux {

namespace {

std::string interval_text(const std::optional<RatioInterval>& interval) {
  if (!interval) return "-";
  return ratio_ppm_text(interval->ppm) + " [" + ratio_ppm_text(interval->low_ppm) + ", " +
         ratio_ppm_text(interval->high_ppm) + "]";
}

std::string differences(const std::string& title, const std::vector<HostDifference>& list) {
  if (list.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const auto& one : list) rows.push_back({one.name, one.a, one.b});
  return html_table(title, {"fact", "A", "B"}, {}, rows);
}

Result<Comparison> comparison_of(const std::vector<ReportedResult>& results) {
  Side a, b;
  if (auto added = add_to_side(a, results[0].result, results[0].name); !added)
    return std::unexpected(added.error());
  if (auto added = add_to_side(b, results[1].result, results[1].name); !added)
    return std::unexpected(added.error());
  return compare_sides(std::move(a), std::move(b), {});
}

}  // namespace

std::string comparison_section(const std::vector<ReportedResult>& results) {
  std::string out = "<section>\n<h2 id=\"comparison\">A and B compared</h2>\n";
  const auto comparison = comparison_of(results);
  if (!comparison)
    return out + "<p>Not compared: " + escaped(comparison.error().text) + ".</p>\n</section>\n";
  out += differences("Intended factor", comparison->hosts.intended);
  out += differences("Confounders: they may explain a difference as well", comparison->hosts.confounders);
  if (const auto svg = ratio_chart(*comparison); !svg.empty()) {
    out += "<h3>Performance of B against A</h3>\n<figure>" + svg + "</figure>\n";
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& cell : comparison->cells) {
    for (const auto& figure : cell.figures) {
      rows.push_back({cell.name, figure.figure, figure.a ? value_text(figure.unit, *figure.a) : "-",
                      figure.b ? value_text(figure.unit, *figure.b) : "-", interval_text(figure.ratio),
                      interval_text(figure.per_reference), figure.text});
    }
  }
  out += html_table("B / A: ratios of the medians over the runs, with 95 % bootstrap intervals",
                    {"cell", "figure", "A", "B", "B / A [95 %]", "per reference-loop speed", "shown"},
                    {false, false, true, true, true, true, false}, rows);
  out += "<ul class=\"notes\">\n";
  for (const auto& note : comparison->notes) out += "<li>" + escaped(note) + "</li>\n";
  for (const auto& name : comparison->only_a) out += "<li>only in A: " + escaped(name) + "</li>\n";
  for (const auto& name : comparison->only_b) out += "<li>only in B: " + escaped(name) + "</li>\n";
  out +=
      "<li>A picture and a table can't say what was not controlled: read the confounders "
      "first.</li>\n</ul>\n";
  out += differences("Harmless differences", comparison->hosts.harmless);
  return out + "</section>\n";
}

}  // namespace pollux
