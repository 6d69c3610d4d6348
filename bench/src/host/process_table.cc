#include "host/process_table.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace pollux {

namespace {
constexpr pid_t kernel_threads = 2;
}

ProcessEntry parse_process(std::string_view stat_line) {
  ProcessEntry entry;
  // The second field is the program's name in parentheses, and may hold anything.
  const auto name_end = stat_line.rfind(')');
  if (name_end == std::string_view::npos) return {};
  std::from_chars(stat_line.data(), stat_line.data() + stat_line.size(), entry.pid);
  std::istringstream rest{std::string(stat_line.substr(name_end + 1))};
  std::string state, skipped;
  rest >> state >> entry.parent;
  for (int field = 5; field < 14; ++field) rest >> skipped;
  // Fields 14 to 17: user and system, its own and of the children it has waited for. (proc(5))
  for (int field = 14; field <= 17; ++field) {
    std::int64_t ticks = 0;
    if (!(rest >> ticks)) return {};
    entry.ticks += static_cast<std::uint64_t>(std::max<std::int64_t>(0, ticks));
  }
  return entry;
}

std::vector<ProcessEntry> read_processes() {
  std::vector<ProcessEntry> table;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    const auto process = parse_process(line);
    if (process.pid == 0 || process.pid == kernel_threads || process.parent == kernel_threads) continue;
    table.push_back(process);
  }
  return table;
}

std::vector<pid_t> descendants_of(pid_t root, const std::vector<ProcessEntry>& table) {
  std::vector<pid_t> found, parents = {root};
  while (!parents.empty()) {
    const pid_t parent = parents.back();
    parents.pop_back();
    for (const auto& process : table) {
      if (process.parent != parent || process.pid == root ||
          std::ranges::find(found, process.pid) != found.end())
        continue;
      found.push_back(process.pid);
      parents.push_back(process.pid);
    }
  }
  return found;
}

std::vector<pid_t> descendants_of(pid_t root) { return descendants_of(root, read_processes()); }

std::uint64_t foreign_ticks() {
  const auto table = read_processes();
  const auto ours = descendants_of(::getpid(), table);
  std::uint64_t ticks = 0;
  for (const auto& process : table) {
    if (process.pid == ::getpid() || std::ranges::find(ours, process.pid) != ours.end()) continue;
    ticks += process.ticks;
  }
  return ticks;
}

}  // namespace pollux
