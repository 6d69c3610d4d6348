#include <sstream>

#include "host/facts.h"

namespace pollux {

namespace {

// "MemTotal:  24683656 kB", which are KiB.
std::string kib_text(const std::string& meminfo, std::string_view name) {
  const auto words = words_of(field_of(meminfo, name));
  const auto kib = words.empty() ? std::nullopt : natural_in(words[0]);
  return kib ? std::to_string(*kib / 1024) + " MiB" : "";
}

// "always [madvise] never": the one in brackets.
std::string chosen_of(const std::string& line) {
  const auto open = line.find('['), close = line.find(']');
  return open == std::string::npos || close == std::string::npos ? ""
                                                                 : line.substr(open + 1, close - open - 1);
}

// Devices and files that are swapped to; zram is memory.
std::string swap_devices(const HostFiles& files) {
  std::istringstream lines(files.text("/proc/swaps"));
  std::string names, line;
  std::getline(lines, line);  // headings
  while (std::getline(lines, line)) {
    if (const auto words = words_of(line); !words.empty()) names += (names.empty() ? "" : ", ") + words[0];
  }
  return names;
}

}  // namespace

void add_memory_facts(const HostFiles& files, FactList& facts) {
  const auto meminfo = files.text("/proc/meminfo");
  facts.add("memory.total", kib_text(meminfo, "MemTotal"));
  facts.add("memory.available", kib_text(meminfo, "MemAvailable"), "when it was looked at",
            FactKind::harmless);
  facts.add("memory.huge_pages", field_of(meminfo, "HugePages_Total"));
  facts.add("memory.transparent_huge_pages",
            chosen_of(files.line("/sys/kernel/mm/transparent_hugepage/enabled")));
  const auto swap = kib_text(meminfo, "SwapTotal");
  facts.add("memory.swap", swap == "0 MiB" ? "none" : swap, swap_devices(files));
  facts.add("memory.swappiness", files.line("/proc/sys/vm/swappiness"));
  facts.add("memory.overcommit", files.line("/proc/sys/vm/overcommit_memory"),
            "0 by guess, 1 always, 2 never beyond the limit");
}

}  // namespace pollux
