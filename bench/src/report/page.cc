#include "report/page.h"

#include <algorithm>
#include <boost/json.hpp>

#include "report/markup.h"
#include "report/style.h"
#include "run/format.h"
#include "run/sections.h"

namespace pollux {

namespace {

std::vector<std::string> benches_of(const std::vector<ReportedResult>& results) {
  std::vector<std::string> benches;
  const auto add = [&](const std::string& bench) {
    if (std::ranges::find(benches, bench) == benches.end()) benches.push_back(bench);
  };
  for (const auto& one : results) {
    for (const auto& cell : one.result.cells) add(cell.bench);
    for (const auto& finding : one.result.findings) add(finding.bench);
  }
  return benches;
}

std::string letter(std::size_t number) { return std::string(1, static_cast<char>('A' + number % 26)); }

std::string summary(const std::vector<ReportedResult>& results) {
  std::string out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& result = results[i].result;
    std::size_t count[4] = {};
    for (const auto& cell : result.cells) ++count[static_cast<std::size_t>(cell.verdict)];
    const auto verdict = std::string(to_string(result.verdict()));
    out += "<div class=\"box\">\n<p><strong>" + (results.size() > 1 ? letter(i) + ": " : std::string()) +
           escaped(results[i].name) + "</strong></p>\n";
    for (const auto& line : heading_of(result)) out += "<p>" + escaped(line) + "</p>\n";
    out += "<p>Verdict: <span class=\"verdict " + verdict + "\">" + verdict +
           "</span>: " + std::to_string(count[0]) + " cells ok, " + std::to_string(count[1]) + " noisy, " +
           std::to_string(count[2]) + " invalid, " + std::to_string(count[3]) + " not available.</p>\n";
    std::string call = "pollux bench";
    for (const auto& argument : result.arguments) call += " " + argument;
    out += "<p class=\"soft\">" + escaped(call) + "</p>\n</div>\n";
  }
  return out;
}

constexpr const char* how_to_read = R"(<section class="box"><h2 id="reading">How to read it</h2>
<p>A cell is one thing measured in one way, several times. <em>ok</em>: nothing disturbed it. <em>noisy</em>: something did, and the reason is told; read it with care. <em>invalid</em>: it is not what it says it is; don't use it. <em>not available</em>: it was not measured, and why.</p>
<p>Percentiles are shown where at least ten samples stand beyond them. The axis of a percentile chart counts nines: p90, p99 and p99.9 are equally far apart, so the rare and slow is seen. Bars show the median over the runs, their lines the least and the largest run. All axes of values are logarithmic: the same distance is the same factor.</p>
<p>Hollow diamonds are figures that others have published, on other machines and with other programs. They give the order of magnitude. A ratio to one is told only where the workload is the same.</p></section>
)";

std::string host_section(const std::vector<ReportedResult>& results) {
  std::string out = "<section>\n<h2 id=\"host\">Host</h2>\n";
  for (const auto& one : results) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& fact : one.result.host.facts) {
      rows.push_back({fact.name, fact.value, fact.evidence, std::string(to_string(fact.kind))});
    }
    out += html_table("All that is known of the host of " + one.name,
                      {"fact", "value", "told from", "in a comparison"}, {}, rows);
  }
  return out + "</section>\n";
}

std::string data_section(const std::vector<ReportedResult>& results) {
  constexpr std::size_t link_bytes_max = 4u << 20;
  std::string out =
      "<section>\n<h2 id=\"data\">Data</h2>\n<p>The results are within this file, as JSON.</p>\n";
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto json = boost::json::serialize(json_of(results[i].result));
    if (json.size() <= link_bytes_max) {
      out += "<p class=\"download\"><a download=\"result-" + letter(i) +
             ".json\" href=\"data:application/json;base64," + base64(json + "\n") + "\">Save " +
             escaped(results[i].name) + "</a></p>\n";
    }
    out += "<script type=\"application/json\" id=\"result-" + letter(i) + "\">" + script_json(json) +
           "</script>\n";
  }
  return out + "</section>\n";
}

}  // namespace

std::string report_page(const std::vector<ReportedResult>& results) {
  const auto benches = benches_of(results);
  std::string out =
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"/>\n"
      "<title>pollux bench report</title>\n<style>" +
      std::string(report_style) +
      "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the figures</a>\n";
  out += "<header><h1>pollux bench report</h1>\n" + summary(results) +
         "</header>\n<nav aria-label=\"Contents\"><ul>\n";
  const auto link = [&](const std::string& id, const std::string& text) {
    out += "<li><a href=\"#" + escaped(id) + "\">" + escaped(text) + "</a></li>\n";
  };
  link("reading", "How to read it");
  if (results.size() == 2) link("comparison", "A and B compared");
  for (const auto& bench : benches) link("bench-" + bench, bench);
  link("host", "Host");
  link("data", "Data");
  out += "</ul></nav>\n<main id=\"main\">\n";
  out += how_to_read;
  if (results.size() == 2) out += comparison_section(results);
  for (const auto& bench : benches) out += bench_section(results, bench);
  out += host_section(results) + data_section(results);
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace pollux
