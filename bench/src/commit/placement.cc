#include "commit/commit_runs.h"
#include "host/pinned.h"

namespace pollux {

std::string lines(const std::vector<std::string>& settings) {
  std::string text;
  for (const std::string& setting : settings) text += setting + "\n";
  return text;
}

namespace {

std::string words_for(const std::vector<int>& cpus) {
  if (cpus.empty()) return "any CPU";
  std::string text = "CPU";
  for (const int cpu : cpus) text += " " + std::to_string(cpu);
  return text;
}

}  // namespace

std::string Placement::words() const {
  return "member a on " + words_for(a) + ", member b on " + words_for(b) + ", requester on " +
         words_for(requester);
}

std::vector<Placement> placements_for(const BenchCommitOptions& options) {
  if (!options.placement) return {{.name = "free", .a = {}, .b = {}, .requester = {}}};
  const auto cpus = usable_cpus();
  std::vector<Placement> list;
  list.push_back(
      {.name = "same-core", .a = {cpus.front()}, .b = {cpus.front()}, .requester = {cpus.front()}});
  if (cpus.size() >= 2) {
    list.push_back({.name = "other-core", .a = {cpus[0]}, .b = {cpus[1]}, .requester = {}});
  }
  return list;
}

}  // namespace pollux
