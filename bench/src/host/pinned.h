// Which CPUs a thread runs on.
#pragma once

#include <sched.h>

#include <string>
#include <vector>

namespace pollux {

/// CPUs that this thread may use.
std::vector<int> usable_cpus();

/// While this lives the thread that made it, and threads it makes meanwhile, run on these CPUs only. None: as
/// before.
class PinnedHere {
 public:
  explicit PinnedHere(const std::vector<int>& cpus);
  ~PinnedHere();
  PinnedHere(const PinnedHere&) = delete;
  PinnedHere& operator=(const PinnedHere&) = delete;

  /// Why it is not pinned as asked; empty if it is. Asked of the kernel afterwards: a cpuset may cut the set
  /// silently.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  cpu_set_t before_{};
  std::string problem_;
};

}  // namespace pollux
