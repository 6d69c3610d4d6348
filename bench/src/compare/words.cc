#include "compare/words.h"

#include "run/wide.h"

namespace pollux {

namespace {

struct Pair {
  const char* more;
  const char* less;
};

Pair words_of(Unit unit, Better better) {
  switch (unit) {
    case Unit::ns:
      if (better == Better::less) return {"slower", "faster"};
      return {"longer", "shorter"};
    case Unit::per_second_milli:
    case Unit::bytes_per_second:
      return {"faster", "slower"};
    case Unit::bytes:
    case Unit::count:
    case Unit::ppm:
      break;
  }
  return {"more", "less"};
}

std::string who(Verdict a, Verdict b, Verdict verdict) {
  if (a == verdict && b == verdict) return "both sides";
  return a == verdict ? "A" : "B";
}

Shown shown_of(const FigureComparison& figure, Verdict a, Verdict b) {
  if (a == Verdict::invalid || b == Verdict::invalid) return Shown::untrusted;
  if (a == Verdict::not_available || b == Verdict::not_available) return Shown::not_measured;
  if (!figure.ratio) return Shown::no_ratio;
  if (too_few_runs(figure.runs_a, figure.runs_b)) return Shown::too_few_runs;
  if (figure.ratio->low_ppm > one_ppm || figure.ratio->high_ppm < one_ppm) return Shown::difference;
  return Shown::no_difference;
}

std::string claim(const FigureComparison& figure) {
  return "B is " + ratio_words(figure.unit, figure.better, figure.ratio->ppm);
}

}  // namespace

std::string_view to_string(Shown shown) {
  switch (shown) {
    case Shown::difference:
      return "difference";
    case Shown::no_difference:
      return "no difference shown";
    case Shown::too_few_runs:
      return "too few runs";
    case Shown::no_ratio:
      return "no ratio";
    case Shown::untrusted:
      return "untrusted";
    case Shown::not_measured:
      return "not measured";
  }
  return "?";
}

std::string ratio_words(Unit unit, Better better, std::uint64_t ppm) {
  const auto words = words_of(unit, better);
  if (ppm >= one_ppm || ppm == 0) return ratio_ppm_text(ppm) + " x " + words.more;
  const auto inverse = static_cast<std::uint64_t>((static_cast<Wide>(one_ppm) * one_ppm + ppm / 2) / ppm);
  return ratio_ppm_text(inverse) + " x " + words.less;
}

void put_into_words(FigureComparison& figure, Verdict a, Verdict b) {
  figure.shown = shown_of(figure, a, b);
  figure.noisy = a == Verdict::noisy || b == Verdict::noisy;
  switch (figure.shown) {
    case Shown::difference:
      figure.text = claim(figure);
      break;
    case Shown::no_difference:
      figure.text = "no difference shown";
      if (const auto detectable = detectable_ppm(*figure.ratio); detectable > 0) {
        figure.text += "; " + ratio_ppm_text(one_ppm + detectable) + " x would be";
      }
      break;
    case Shown::too_few_runs:
      figure.text = "too few runs (" + std::to_string(figure.runs_a) + " and " +
                    std::to_string(figure.runs_b) + "; 4 and 4 can show a difference)";
      break;
    case Shown::no_ratio:
      figure.text =
          figure.a && figure.b && *figure.a == *figure.b ? "the same" : "no ratio: a run is 0 or missing";
      break;
    case Shown::untrusted:
      figure.text = "not compared: " + who(a, b, Verdict::invalid) + " invalid";
      break;
    case Shown::not_measured:
      figure.text = "not compared: not available on " + who(a, b, Verdict::not_available);
      break;
  }
  if (figure.noisy && (figure.shown == Shown::difference || figure.shown == Shown::no_difference)) {
    figure.text += "; noisy: " + who(a, b, Verdict::noisy);
  }
}

}  // namespace pollux
