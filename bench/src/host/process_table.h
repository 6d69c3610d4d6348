// Which processes there are, whose children they are, and what processor time they took: to tell our own work
// on this host from that of others.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace pollux {

struct ProcessEntry {
  pid_t pid = 0, parent = 0;
  std::uint64_t ticks = 0;  ///< of the kernel's clock: its own and those of children it has waited for
};
/// One line of /proc/PID/stat; pid 0 if it is none.
ProcessEntry parse_process(std::string_view stat_line);
/// All processes; threads of the kernel (children of process 2) excepted, since they also work for us.
std::vector<ProcessEntry> read_processes();
/// Children of this process, and theirs.
std::vector<pid_t> descendants_of(pid_t root, const std::vector<ProcessEntry>& table);
std::vector<pid_t> descendants_of(pid_t root);

/// Ticks that all processes took since they began but ourselves and our descendants.
std::uint64_t foreign_ticks();

}  // namespace pollux
