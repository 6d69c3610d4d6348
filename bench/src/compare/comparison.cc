#include "compare/comparison.h"

#include <algorithm>

#include "compare/pairing.h"
#include "compare/words.h"
#include "run/format.h"
#include "run/wide.h"

namespace pollux {

namespace {

// The loop against which other figures are told, where both sides have run it.
struct Reference {
  std::string name;
  RunsPair speed;  // larger is faster
  bool noisy = false;
  std::optional<RatioInterval> ratio;
};

bool measured(const Cell& cell) {
  return cell.verdict != Verdict::invalid && cell.verdict != Verdict::not_available;
}

std::optional<Reference> reference_of(const Pairing& pairing) {
  for (const auto* bench : {"cpu", "memory"}) {
    for (const auto& [a, b] : pairing.pairs) {
      if (a->bench != bench || !measured(*a) || !measured(*b) || a->figures.empty()) continue;
      const auto& of_a = a->figures.front();
      const auto* of_b = b->figure(of_a.name);
      if (of_b == nullptr || of_a.better != Better::more || of_b->unit != of_a.unit) continue;
      Reference reference{.name = a->name(),
                          .speed = {of_a.runs, of_b->runs},
                          .noisy = a->verdict == Verdict::noisy || b->verdict == Verdict::noisy,
                          .ratio = {}};
      reference.ratio = bootstrap_ratio({reference.speed});
      if (reference.ratio) return reference;
    }
  }
  return std::nullopt;
}

bool is_reference(const std::string& bench) { return bench == "cpu" || bench == "memory"; }
bool is_rate(Unit unit) { return unit == Unit::per_second_milli || unit == Unit::bytes_per_second; }

struct Prices {
  std::uint64_t a = 0, b = 0;
};

std::optional<RatioInterval> per_money(const RatioInterval& ratio, const Prices& prices) {
  if (prices.a == 0 || prices.b == 0) return std::nullopt;
  const auto scaled = [&](std::uint64_t ppm) {
    const auto value = static_cast<Wide>(ppm) * prices.a / prices.b;
    return value > ratio_max_ppm ? ratio_max_ppm : static_cast<std::uint64_t>(value);
  };
  return RatioInterval{scaled(ratio.ppm), scaled(ratio.low_ppm), scaled(ratio.high_ppm)};
}

class FigureComparer {
 public:
  FigureComparer(const Cell& a, const Cell& b, const std::optional<Reference>& reference,
                 const Prices& prices)
      : a_(a), b_(b), reference_(reference), prices_(prices) {}

  [[nodiscard]] FigureComparison compare(const std::string& name, const Figure& like,
                                         const RunsPair& runs) const {
    FigureComparison out;
    out.figure = name;
    out.unit = like.unit;
    out.better = like.better;
    out.runs_a = runs.a.size();
    out.runs_b = runs.b.size();
    if (!runs.a.empty()) out.a = median_of(runs.a);
    if (!runs.b.empty()) out.b = median_of(runs.b);
    if (measured(a_) && measured(b_)) {
      out.ratio = bootstrap_ratio({runs});
      if (out.ratio && is_rate(like.unit)) out.per_money = per_money(*out.ratio, prices_);
      if (out.ratio) out.per_reference = by_reference(like, runs);
    }
    put_into_words(out, a_.verdict, b_.verdict);
    return out;
  }

 private:
  // A time is multiplied with the loop's speed, a rate divided by it: what is left is not the clock's doing.
  [[nodiscard]] std::optional<RatioInterval> by_reference(const Figure& like, const RunsPair& runs) const {
    if (!reference_ || is_reference(a_.bench) || like.better == Better::neither) return std::nullopt;
    if (like.unit == Unit::ns) return bootstrap_ratio({runs, reference_->speed});
    if (is_rate(like.unit)) return bootstrap_ratio({runs, {reference_->speed.b, reference_->speed.a}});
    return std::nullopt;
  }
  const Cell& a_;
  const Cell& b_;
  const std::optional<Reference>& reference_;
  const Prices& prices_;
};

CellComparison compare_cells(const Cell& a, const Cell& b, const std::vector<std::string>& keys,
                             const std::optional<Reference>& reference, const Prices& prices) {
  CellComparison out;
  out.bench = a.bench;
  out.workload = without(a.workload, keys);
  out.name = Cell{.bench = a.bench, .workload = out.workload}.name();
  out.a = a.verdict;
  out.b = b.verdict;
  for (const auto& reason : a.reasons) out.reasons.push_back("A: " + reason);
  for (const auto& reason : b.reasons) out.reasons.push_back("B: " + reason);
  const FigureComparer comparer(a, b, reference, prices);
  std::vector<std::string> names;
  for (const auto* cell : {&a, &b}) {
    for (const auto& figure : cell->figures) {
      if (std::ranges::find(names, figure.name) == names.end()) names.push_back(figure.name);
    }
  }
  for (const auto& name : names) {
    const auto* of_a = a.figure(name);
    const auto* of_b = b.figure(name);
    // In another unit it is another figure.
    if (of_a != nullptr && of_b != nullptr && of_a->unit != of_b->unit) continue;
    const auto& like = of_a != nullptr ? *of_a : *of_b;
    const auto runs = [](const Figure* figure) {
      return figure == nullptr ? std::vector<std::int64_t>() : figure->runs;
    };
    const auto late = [](const Figure* figure) {
      return figure == nullptr ? std::vector<std::int64_t>() : figure->runs_p99;
    };
    out.figures.push_back(comparer.compare(name, like, {runs(of_a), runs(of_b)}));
    if (!late(of_a).empty() && !late(of_b).empty()) {
      out.figures.push_back(comparer.compare(name + " p99", like, {late(of_a), late(of_b)}));
    }
  }
  return out;
}

void add_notes(Comparison& comparison) {
  auto& notes = comparison.notes;
  for (const auto& [side, letter] : {std::pair{&comparison.a, "A"}, std::pair{&comparison.b, "B"}}) {
    for (const auto& note : side->notes) notes.push_back(std::string(letter) + ": " + note);
    if (!side->result.complete) notes.push_back(std::string(letter) + " is incomplete: it was interrupted");
    if (side->result.quick)
      notes.push_back(std::string(letter) + " is quick: to see that it works, not to decide on");
  }
  if (digest_in(comparison.a.result) == digest_in(comparison.b.result))
    notes.emplace_back("A and B are the same result");
  for (const auto& factor : comparison.hosts.unused) {
    notes.push_back("the intended factor '" + factor + "' is the same on both sides");
  }
  if (!comparison.hosts.confounders.empty() && !comparison.hosts.intended.empty()) {
    notes.emplace_back("a difference may come from the confounders as well as from the intended factor");
  }
  std::size_t judged = 0;
  for (const auto& cell : comparison.cells) {
    judged +=
        static_cast<std::size_t>(std::ranges::count_if(cell.figures, [](const FigureComparison& figure) {
          return figure.shown == Shown::difference || figure.shown == Shown::no_difference;
        }));
  }
  constexpr std::size_t one_by_chance = 20;
  if (judged >= one_by_chance) {
    notes.push_back("of " + std::to_string(judged) + " intervals of 95 %, about " +
                    std::to_string(judged / one_by_chance) +
                    " miss by chance alone: look for what many cells say together");
  }
  const auto price_a = comparison.a.result.price_micro, price_b = comparison.b.result.price_micro;
  if ((price_a == 0) != (price_b == 0))
    notes.emplace_back("only one side tells a price, so nothing is told per money");
}

}  // namespace

bool Comparison::untrusted() const {
  return std::ranges::any_of(cells, [](const CellComparison& cell) {
    return cell.a == Verdict::invalid || cell.b == Verdict::invalid;
  });
}

Result<Comparison> compare_sides(Side a, Side b, const ComparisonOptions& options) {
  Comparison out;
  out.a = std::move(a);
  out.b = std::move(b);
  const auto& result_a = out.a.result;
  const auto& result_b = out.b.result;
  const auto pairing =
      options.keys_may_differ ? pair_cells_by_the_rest(result_a, result_b) : pair_cells(result_a, result_b);
  if (!pairing) return std::unexpected(pairing.error());
  out.different_keys = pairing->different_keys;
  out.hosts = differences_of(result_a, result_b, options.factors);
  const auto reference = reference_of(*pairing);
  if (reference) {
    out.reference = reference->name;
    out.reference_speed = reference->ratio;
  }
  if (reference && reference->noisy)
    out.notes.push_back(
        "the reference loop itself was disturbed, and with it all that is told per its speed");
  const Prices prices{result_a.price_micro, result_b.price_micro};
  for (const auto& [one, other] : pairing->pairs) {
    out.cells.push_back(compare_cells(*one, *other, out.different_keys, reference, prices));
  }
  for (const auto* cell : pairing->only_a) out.only_a.push_back(cell->name());
  for (const auto* cell : pairing->only_b) out.only_b.push_back(cell->name());
  add_notes(out);
  return out;
}

}  // namespace pollux
