#include "report/published.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "pollux/core/check.h"

namespace pollux {

std::string_view published_json();

namespace {

namespace json = boost::json;

struct Scale {
  std::string_view unit;
  Unit as;
  double times;
};
constexpr Scale scales[] = {{"s", Unit::ns, 1e9},
                            {"1/s", Unit::per_second_milli, 1e3},
                            {"kB/s", Unit::bytes_per_second, 1e3},
                            {"MB/s", Unit::bytes_per_second, 1e6},
                            {"KiB/s", Unit::bytes_per_second, 1024},
                            {"Mbit/s", Unit::bytes_per_second, 125'000},
                            {"count", Unit::count, 1}};

std::string text(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

Published published_of(const json::object& object) {
  Published out{.test = text(object, "test"),
                .subject = text(object, "subject"),
                .metric = text(object, "metric"),
                .conditions = text(object, "conditions"),
                .source = text(object, "source"),
                .unit = text(object, "unit"),
                .flags = {},
                .value = {},
                .printed = {}};
  for (const auto& flag : object.at("flags").as_array()) out.flags.emplace_back(flag.as_string());
  const auto& value = object.at("value");
  if (!value.is_number()) {
    out.printed = "no number";
    return out;
  }
  out.printed = json::serialize(value) + " " + out.unit;
  const auto number = value.to_number<double>();
  const auto scale = std::ranges::find(scales, out.unit, &Scale::unit);
  if (scale == std::end(scales)) return out;
  out.as = scale->as;
  out.value = std::llround(number * scale->times);
  out.printed = (number == std::floor(number) ? std::to_string(std::llround(number))
                                              : out.printed.substr(0, out.printed.find(' '))) +
                " " + out.unit;
  return out;
}

// Which of our figures is of the same kind as which published ones.
struct Rule {
  std::string_view bench, figure_has;  // the figure's name holds this
  Facts part;                          // of our workload
  std::string test, metric;
  Facts same;  // with these, too, the workload is the same; none: it never is
  std::string_view why_no_ratio;
};

const std::vector<Rule>& rules() {
  constexpr std::string_view other_loop =
      "another program with arrays of an unknown size did it, so only the order of magnitude may be compared";
  constexpr std::string_view other_service =
      "it was measured through a file server of 2007 over a network, which is another workload";
  static const std::vector<Rule> list = [&] {
    std::vector<Rule> all;
    for (const auto& [ours, theirs] : {std::pair{"integer", "Integer"}, std::pair{"float", "Float"}}) {
      for (const auto& [loop, metric] : {std::pair{"add", "Add/"}, std::pair{"copy", "Copy/"},
                                         std::pair{"scale", "Scale/"}, std::pair{"triad", "Triad/"}}) {
        all.push_back({"memory",
                       "throughput",
                       {{"numbers", ours}, {"loop", loop}},
                       "ramspeed",
                       std::string(metric) + theirs,
                       {},
                       other_loop});
      }
    }
    all.push_back({"risk",
                   "",
                   {},
                   "risk",
                   "time_per_order",
                   {},
                   "the published orders went through a real application on other machines, which is another "
                   "workload"});
    all.push_back({"ingest",
                   "",
                   {},
                   "wrk",
                   "requests_per_second",
                   {{"connections", "1000"}, {"batch", "1000"}},
                   "the published load had 1000 connections and batches of 1000, and this cell had not"});
    all.push_back({"file", "put", {}, "sockbuf", "write", {}, other_service});
    all.push_back({"file", "get", {}, "sockbuf", "read", {}, other_service});
    all.push_back({"file", "copy", {}, "sockbuf", "copy", {}, other_service});
    all.push_back(
        {"http",
         "requests",
         {{"clients", "100"}},
         "ab_c100",
         "requests_per_second",
         {{"requests", "500"}},
         "the published load was 500 requests over a network of 100 Mbit/s, and this cell's was not"});
    return all;
  }();
  return list;
}

bool holds(const Facts& workload, const Facts& wanted) {
  return std::ranges::all_of(wanted,
                             [&](const auto& one) { return fact(workload, one.first) == one.second; });
}

struct Flag {
  std::string_view begins, words;
};
constexpr Flag flags[] = {
    {"approximate", "an approximate figure"},
    {"statistic_not_stated", "it is not said whether it is a mean or a median"},
    {"vendor_claim", "the vendor's word, not a measurement that was shown"},
    {"range", "printed as one number, meant as a range"},
    {"closed_loop", "the load waited for each answer, so slow answers slowed the load down (closed loop)"},
    {"timeouts_excluded", "answers that timed out are left out"},
    {"littles_law_bound", "it only repeats the throughput: connections divided by rate"},
    {"censored_at_2s_timeout", "nothing longer than 2 s could be seen"},
    {"x24_does_not_match_total", "the threads' figures don't add up to the total"},
    {"text_damaged", "the published text is damaged here"},
    {"unit_inferred", "the unit is lost in the text and was inferred"},
    {"unit_as_printed_impossible", "the unit as printed is impossible; corrected"},
    {"n=1", "a single run"},
    {"typo_in_unit", "a slip in the unit; corrected"},
    {"different_body_size", "the two servers answered with bodies of different sizes"},
    {"derived_from_throughput", "computed from the throughput"},
    {"reciprocal_of_rps", "only the reciprocal of the rate"},
    {"ab_integer_truncation", "the tool cut off digits before it divided"},
    {"rounded", "a rounded figure"},
    {"no_number_published", "only an order was published, no number"}};

}  // namespace

const std::vector<Published>& all_published() {
  static const std::vector<Published> all = [] {
    std::vector<Published> list;
    const auto value = json::parse(published_json());
    for (const auto& one : value.at("entries").as_array()) list.push_back(published_of(one.as_object()));
    return list;
  }();
  return all;
}

std::vector<PublishedBeside> published_beside(const Cell& cell, const Figure& figure) {
  std::vector<PublishedBeside> beside;
  for (const auto& rule : rules()) {
    if (cell.bench != rule.bench || figure.name.find(rule.figure_has) == std::string::npos) continue;
    if (!holds(cell.workload, rule.part)) continue;
    const bool same = !rule.same.empty() && holds(cell.workload, rule.same);
    for (const auto& one : all_published()) {
      if (one.test != rule.test || one.metric != rule.metric || !one.value || one.as != figure.unit) continue;
      beside.push_back({.figure = &one,
                        .same_workload = same,
                        .why_no_ratio = same ? "" : std::string(rule.why_no_ratio)});
    }
  }
  return beside;
}

std::string flag_in_words(const std::string& flag) {
  for (const auto& [begins, words] : flags) {
    if (!flag.starts_with(begins)) continue;
    // What stands behind a colon is a detail of this figure.
    const auto colon = flag.find(": ");
    return std::string(words) + (colon == std::string::npos ? "" : " (" + flag.substr(colon + 2) + ")");
  }
  return flag;
}

}  // namespace pollux
