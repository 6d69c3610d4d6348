#include "office/office_day.h"

#include <algorithm>
#include <random>

#include "pollux/core/check.h"

namespace pollux {

namespace {

constexpr unsigned decisions_min = 200, decisions_max = 300;
constexpr std::chrono::nanoseconds working_day = std::chrono::hours(8);
constexpr unsigned percent = 100;

// std::mt19937_64 gives the same numbers everywhere; the distributions of the library don't.
unsigned below(std::mt19937_64& random, unsigned limit) { return static_cast<unsigned>(random() % limit); }

OfficeKind kind_for(unsigned percentile) {
  constexpr unsigned puts = 25, gets = puts + 55, propfinds = gets + 6, syncs = propfinds + 8;
  if (percentile < puts) return OfficeKind::put;
  if (percentile < gets) return OfficeKind::get;
  if (percentile < propfinds) return OfficeKind::propfind;
  return percentile < syncs ? OfficeKind::sync : OfficeKind::multiget;
}

// About 2 KB on average, so that 25,000 decisions are about 50 MB.
std::uint32_t bytes_for(unsigned percentile) {
  constexpr unsigned tasks = 64, posts = tasks + 20, pages = posts + 9;
  constexpr std::uint32_t task = 700, post = 1500, page = 4000, mail = 12'000;
  if (percentile < tasks) return task;
  if (percentile < posts) return post;
  return percentile < pages ? page : mail;
}

}  // namespace

std::string_view word_of(OfficeKind kind) {
  switch (kind) {
    case OfficeKind::put:
      return "put";
    case OfficeKind::get:
      return "get";
    case OfficeKind::propfind:
      return "propfind";
    case OfficeKind::sync:
      return "sync";
    case OfficeKind::multiget:
      return "multiget";
  }
  return "";
}

std::vector<OfficeAct> office_day(const BenchOfficeOptions& options) {
  POLLUX_CHECK(options.compress > 0);
  std::mt19937_64 random(options.seed);
  const auto length_ns = static_cast<std::uint64_t>((working_day / options.compress).count());
  std::vector<OfficeAct> day;
  for (unsigned person = 0; person < options.people; ++person) {
    const auto decisions = decisions_min + below(random, decisions_max - decisions_min + 1);
    for (unsigned i = 0; i < decisions; ++i) {
      OfficeAct act;
      act.due = std::chrono::nanoseconds(random() % std::max<std::uint64_t>(1, length_ns));
      act.kind = kind_for(below(random, percent));
      act.person = person;
      act.item_bytes = bytes_for(below(random, percent));
      act.pick = random();
      day.push_back(act);
    }
  }
  std::ranges::stable_sort(day, {}, &OfficeAct::due);
  return day;
}

std::uint64_t item_bytes_of(const std::vector<OfficeAct>& day) {
  std::uint64_t bytes = 0;
  for (const auto& act : day) {
    if (act.kind == OfficeKind::put || act.kind == OfficeKind::get) bytes += act.item_bytes;
  }
  return bytes;
}

}  // namespace pollux
