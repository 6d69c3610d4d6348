#include "compare/sides.h"

#include <algorithm>
#include <boost/json.hpp>

namespace pollux {

namespace {

int badness(Verdict verdict) {
  switch (verdict) {
    case Verdict::not_available:
      return 0;  // another file has measured it
    case Verdict::ok:
      return 1;
    case Verdict::noisy:
      return 2;
    case Verdict::invalid:
      return 3;
  }
  return 3;
}

Result<void> merge_figure(Cell& cell, const Figure& more, const std::string& name) {
  const auto known = std::ranges::find(cell.figures, more.name, &Figure::name);
  if (known == cell.figures.end()) {
    cell.figures.push_back(more);
    return {};
  }
  if (known->unit != more.unit || known->better != more.better) {
    return fail(Code::invalid_argument,
                name + ": '" + more.name + "' of " + cell.name() +
                    " has another unit than in the files before it; compare it alone");
  }
  known->times.merge(more.times);
  known->runs.insert(known->runs.end(), more.runs.begin(), more.runs.end());
  known->runs_p99.insert(known->runs_p99.end(), more.runs_p99.begin(), more.runs_p99.end());
  return {};
}

Result<void> merge_cell(Cell& cell, const Cell& more, const std::string& name) {
  for (const auto& figure : more.figures) {
    if (auto merged = merge_figure(cell, figure, name); !merged) return merged;
  }
  if (badness(cell.verdict) == 0 || badness(more.verdict) == 0) {
    if (badness(cell.verdict) == 0) {
      cell.verdict = more.verdict;
      cell.reasons = more.reasons;
    }
  } else {
    for (const auto& reason : more.reasons) {
      if (std::ranges::find(cell.reasons, reason) == cell.reasons.end()) cell.reasons.push_back(reason);
    }
    if (badness(more.verdict) > badness(cell.verdict)) cell.verdict = more.verdict;
  }
  cell.failed = cell.failed || more.failed;
  cell.runs += more.runs;
  cell.counters.add(more.counters);
  return {};
}

void note_changed_facts(Side& side, const BenchResult& more, const std::string& name) {
  for (const auto& fact : more.host.facts) {
    if (fact.kind != FactKind::matters) continue;
    const auto known = std::ranges::find(side.result.host.facts, fact.name, &HostFact::name);
    if (known == side.result.host.facts.end() || known->value == fact.value) continue;
    side.notes.push_back(name + ": " + fact.name + " was '" + fact.value + "', and '" + known->value +
                         "' in the first");
  }
  if (more.version != side.result.version) {
    side.notes.push_back(name + ": by pollux " + more.version + ", the first by " + side.result.version);
  }
}

}  // namespace

std::string digest_in(const BenchResult& result) {
  return std::string(json_of(result).at("digest").as_string());
}

Result<void> add_to_side(Side& side, const BenchResult& more, const std::string& name) {
  if (side.files.empty()) {
    side.result = more;
    side.files = {name};
    return {};
  }
  note_changed_facts(side, more, name);
  auto& result = side.result;
  for (const auto& cell : more.cells) {
    const auto cell_name = cell.name();
    const auto known =
        std::ranges::find_if(result.cells, [&](const Cell& one) { return one.name() == cell_name; });
    if (known == result.cells.end()) {
      result.cells.push_back(cell);
      continue;
    }
    if (auto merged = merge_cell(*known, cell, name); !merged) return merged;
  }
  result.complete = result.complete && more.complete;
  result.quick = result.quick || more.quick;
  result.took_ns += std::min(more.took_ns, INT64_MAX - result.took_ns);
  side.files.push_back(name);
  return {};
}

Result<Side> read_side(const std::vector<std::filesystem::path>& files) {
  Side side;
  std::vector<std::string> seen;
  for (const auto& file : files) {
    auto result = read_result(file);
    if (!result) return std::unexpected(result.error());
    // Counted twice, the same runs would look like more of them.
    auto digest = digest_in(*result);
    if (std::ranges::find(seen, digest) != seen.end()) {
      return fail(Code::invalid_argument,
                  file.string() + " holds the same result as a file before it; give each once");
    }
    seen.push_back(std::move(digest));
    if (auto added = add_to_side(side, *result, file.string()); !added) return std::unexpected(added.error());
  }
  return side;
}

}  // namespace pollux
