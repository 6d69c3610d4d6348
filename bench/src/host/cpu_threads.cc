#include "host/cpu_threads.h"

#include <atomic>
#include <latch>
#include <mutex>
#include <thread>

#include "host/pinned.h"

namespace pollux {

Result<void> run_on_cpus(const std::vector<int>& cpus, const std::function<void(std::size_t index)>& work) {
  Result<void> outcome;
  std::mutex mutex;
  std::atomic<bool> refused = false;
  std::latch placed(static_cast<std::ptrdiff_t>(cpus.size()));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    threads.emplace_back([&, i] {
      const PinnedHere pinned({cpus[i]});
      if (!pinned.problem().empty()) {
        refused = true;
        const std::lock_guard lock(mutex);
        outcome = fail(Code::unsupported, "CPU " + std::to_string(cpus[i]) + ": " + pinned.problem());
      }
      placed.arrive_and_wait();
      if (!refused) work(i);
    });
  }
  threads.clear();  // joins
  return outcome;
}

}  // namespace pollux
