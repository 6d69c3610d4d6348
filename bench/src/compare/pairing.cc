#include "compare/pairing.h"

#include <algorithm>
#include <map>
#include <set>

namespace pollux {

namespace {

std::string text_of(const Facts& workload) {
  std::string text;
  for (const auto& [key, value] : workload) text += (text.empty() ? "" : " ") + key + "=" + value;
  return text;
}

// In the order of names: the same measurement whichever way its parts were told.
std::string key_of(const Cell& cell, const std::vector<std::string>& keys) {
  auto workload = without(cell.workload, keys);
  std::ranges::sort(workload);
  // Lengths, so that no value can look like the next key.
  std::string text = cell.bench;
  for (const auto& [key, value] : workload) {
    text += '\n' + std::to_string(key.size()) + ":" + key + std::to_string(value.size()) + ":" + value;
  }
  return text;
}

std::vector<const Cell*> of_bench(const BenchResult& result, const std::string& bench) {
  std::vector<const Cell*> cells;
  for (const auto& cell : result.cells) {
    if (cell.bench == bench) cells.push_back(&cell);
  }
  return cells;
}

std::vector<std::string> benches_of(const BenchResult& result) {
  std::vector<std::string> benches;
  for (const auto& cell : result.cells) {
    if (std::ranges::find(benches, cell.bench) == benches.end()) benches.push_back(cell.bench);
  }
  return benches;
}

// Pairs what is left of both; what has no partner is put into only_a and only_b.
void pair_exactly(const std::vector<const Cell*>& a, const std::vector<const Cell*>& b, Pairing& pairing) {
  std::map<std::string, const Cell*> of_b;
  for (const auto* cell : b) of_b.emplace(key_of(*cell, {}), cell);
  std::set<const Cell*> taken;
  for (const auto* cell : a) {
    const auto at = of_b.find(key_of(*cell, {}));
    if (at == of_b.end()) {
      pairing.only_a.push_back(cell);
    } else {
      pairing.pairs.emplace_back(cell, at->second);
      taken.insert(at->second);
    }
  }
  std::ranges::copy_if(b, std::back_inserter(pairing.only_b),
                       [&](const Cell* cell) { return !taken.contains(cell); });
}

Error no_common(const BenchResult& a, const BenchResult& b) {
  for (const auto& bench : benches_of(a)) {
    const auto of_a = of_bench(a, bench), of_b = of_bench(b, bench);
    if (of_b.empty()) continue;
    return {Code::precondition_failed,
            "both hold " + bench + ", but with different workloads (A: " + text_of(of_a.front()->workload) +
                "; B: " + text_of(of_b.front()->workload) + "); run both with the same arguments"};
  }
  return {Code::precondition_failed, "the two hold no measurement in common; run the same one on both sides"};
}

std::set<std::string> values_of(const std::vector<const Cell*>& cells, const std::string& key) {
  std::set<std::string> values;
  for (const auto* cell : cells) values.insert(std::string(fact(cell->workload, key)));
  return values;
}

std::vector<std::string> differing_keys(const std::vector<const Cell*>& a,
                                        const std::vector<const Cell*>& b) {
  std::vector<std::string> keys;
  for (const auto* cells : {&a, &b}) {
    for (const auto* cell : *cells) {
      for (const auto& [key, value] : cell->workload) {
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
      }
    }
  }
  std::erase_if(keys, [&](const std::string& key) { return values_of(a, key) == values_of(b, key); });
  return keys;
}

Result<void> pair_by_rest(const std::string& bench, const std::vector<const Cell*>& a,
                          const std::vector<const Cell*>& b, Pairing& pairing) {
  const auto keys = differing_keys(a, b);
  std::map<std::string, const Cell*> of_a, of_b;
  for (const auto& [cells, by_key] : {std::pair{&a, &of_a}, std::pair{&b, &of_b}}) {
    for (const auto* cell : *cells) {
      if (by_key->emplace(key_of(*cell, keys), cell).second) continue;
      std::string names;
      for (const auto& key : keys) names += (names.empty() ? "" : ", ") + key;
      return fail(Code::precondition_failed, bench + ": the commands differ in " + names +
                                                 ", and without these several cells are alike ('" +
                                                 cell->name() + "' and '" +
                                                 by_key->at(key_of(*cell, keys))->name() +
                                                 "'); let each command measure one value of them");
    }
  }
  for (const auto& [key, cell] : of_a) {
    if (!of_b.contains(key)) pairing.only_a.push_back(cell);
  }
  for (const auto* cell : b) {
    const auto at = of_a.find(key_of(*cell, keys));
    if (at == of_a.end()) {
      pairing.only_b.push_back(cell);
    } else {
      pairing.pairs.emplace_back(at->second, cell);
    }
  }
  for (const auto& key : keys) {
    if (std::ranges::find(pairing.different_keys, key) == pairing.different_keys.end())
      pairing.different_keys.push_back(key);
  }
  return {};
}

}  // namespace

Facts without(const Facts& workload, const std::vector<std::string>& keys) {
  Facts rest;
  for (const auto& one : workload) {
    if (std::ranges::find(keys, one.first) == keys.end()) rest.push_back(one);
  }
  return rest;
}

Result<Pairing> pair_cells(const BenchResult& a, const BenchResult& b) {
  Pairing pairing;
  std::vector<const Cell*> of_a, of_b;
  for (const auto& cell : a.cells) of_a.push_back(&cell);
  for (const auto& cell : b.cells) of_b.push_back(&cell);
  pair_exactly(of_a, of_b, pairing);
  if (pairing.pairs.empty()) return std::unexpected(no_common(a, b));
  return pairing;
}

Result<Pairing> pair_cells_by_the_rest(const BenchResult& a, const BenchResult& b) {
  Pairing all;
  auto benches = benches_of(a);
  for (const auto& bench : benches_of(b)) {
    if (std::ranges::find(benches, bench) == benches.end()) benches.push_back(bench);
  }
  for (const auto& bench : benches) {
    const auto of_a = of_bench(a, bench), of_b = of_bench(b, bench);
    Pairing exact;
    pair_exactly(of_a, of_b, exact);
    std::ranges::copy(exact.pairs, std::back_inserter(all.pairs));
    if (!exact.only_a.empty() && !exact.only_b.empty()) {
      auto rest = pair_by_rest(bench, exact.only_a, exact.only_b, all);
      if (rest) continue;
      if (exact.pairs.empty()) return std::unexpected(rest.error());
    }
    std::ranges::copy(exact.only_a, std::back_inserter(all.only_a));
    std::ranges::copy(exact.only_b, std::back_inserter(all.only_b));
  }
  if (all.pairs.empty()) return std::unexpected(no_common(a, b));
  return all;
}

}  // namespace pollux
