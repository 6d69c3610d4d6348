#include "compare/host_differences.h"

#include <algorithm>
#include <set>

namespace pollux {

namespace {

bool meant(const std::string& name, const std::string& factor) {
  return name == factor || (name.starts_with(factor) && name[factor.size()] == '.');
}

const HostFact* fact_of(const BenchResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.host.facts, name, &HostFact::name);
  return found == result.host.facts.end() ? nullptr : &*found;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

class Sorter {
 public:
  Sorter(const BenchResult& a, const BenchResult& b, const std::vector<std::string>& factors)
      : factors_(factors) {
    if (!factors_.empty()) return;
    const auto* on_a = fact_of(a, "vm");
    const auto* on_b = fact_of(b, "vm");
    if (on_a != nullptr && on_b != nullptr && on_a->value != on_b->value) factors_ = {"vm"};
  }
  void add(HostDifference difference, FactKind kind) {
    const auto factor =
        std::ranges::find_if(factors_, [&](const std::string& one) { return meant(difference.name, one); });
    if (factor != factors_.end()) {
      used_.insert(*factor);
      out_.intended.push_back(std::move(difference));
    } else if (kind == FactKind::matters) {
      out_.confounders.push_back(std::move(difference));
    } else {
      out_.harmless.push_back(std::move(difference));
    }
  }
  HostDifferences take() {
    for (const auto& factor : factors_) {
      if (!used_.contains(factor)) out_.unused.push_back(factor);
    }
    return std::move(out_);
  }

 private:
  std::vector<std::string> factors_;
  std::set<std::string> used_;
  HostDifferences out_;
};

bool redacted(const HostFact* fact) { return fact != nullptr && fact->value == "(redacted)"; }

}  // namespace

HostDifferences differences_of(const BenchResult& a, const BenchResult& b,
                               const std::vector<std::string>& factors) {
  Sorter sorter(a, b, factors);
  std::vector<std::string> names;
  for (const auto* side : {&a, &b}) {
    for (const auto& fact : side->host.facts) {
      if (std::ranges::find(names, fact.name) == names.end()) names.push_back(fact.name);
    }
  }
  for (const auto& name : names) {
    const auto* on_a = fact_of(a, name);
    const auto* on_b = fact_of(b, name);
    if (redacted(on_a) || redacted(on_b)) continue;
    const auto value_a = on_a == nullptr ? "not told" : on_a->value;
    const auto value_b = on_b == nullptr ? "not told" : on_b->value;
    if (value_a == value_b) continue;
    // The stricter of the two: a fact that a version called harmless may matter to a later one.
    const bool matters = (on_a != nullptr && on_a->kind == FactKind::matters) ||
                         (on_b != nullptr && on_b->kind == FactKind::matters);
    sorter.add({name, value_a, value_b}, matters ? FactKind::matters : FactKind::harmless);
  }
  if (a.version != b.version) sorter.add({"pollux.version", a.version, b.version}, FactKind::matters);
  if (a.quick != b.quick)
    sorter.add({"pollux.quick", a.quick ? "yes" : "no", b.quick ? "yes" : "no"}, FactKind::matters);
  if (a.arguments != b.arguments)
    sorter.add({"pollux.arguments", joined(a.arguments), joined(b.arguments)}, FactKind::harmless);
  return sorter.take();
}

}  // namespace pollux
