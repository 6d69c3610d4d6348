#include "host/pinned.h"

#include <cerrno>
#include <cstring>

namespace pollux {

std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

PinnedHere::PinnedHere(const std::vector<int>& cpus) {
  sched_getaffinity(0, sizeof before_, &before_);
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    problem_ = std::string("can't pin to a CPU: ") + std::strerror(errno);
    return;
  }
  cpu_set_t got;
  CPU_ZERO(&got);
  if (sched_getaffinity(0, sizeof got, &got) != 0 || CPU_EQUAL(&set, &got) == 0) {
    problem_ = "the kernel did not pin to the CPUs that were asked for; a cpuset allows others only";
  }
}

PinnedHere::~PinnedHere() { sched_setaffinity(0, sizeof before_, &before_); }

}  // namespace pollux
