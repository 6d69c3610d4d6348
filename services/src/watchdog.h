// The watchdog: ends the process when the thread that runs core makes no progress. It must not wait for
// anything itself, least of all for the thread that hangs.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "counters.h"

namespace pollux {

class Watchdog {
 public:
  struct Options {
    /// Core's thread goes round every few milliseconds; this long without is a hang. Counted in the watchdog's
    /// own rounds, so that a process that was stopped as a whole (SIGSTOP, suspend) is not taken for hung.
    std::chrono::milliseconds limit{5000};
    std::chrono::milliseconds round{100};
  };
  /// `end` is called on the watchdog's thread with an exit code and must end the process.
  using End = std::function<void(int code, const char* why)>;
  Watchdog(const Progress& progress, const Options& options, End end)
      : progress_(progress), options_(options), end_(std::move(end)) {}
  ~Watchdog() { stop(); }

  void start();
  void stop();
  /// Whatever happens, the process ends with `code` after `after`, unless it ends before (a log on a disk that
  /// hangs, a thread that can't be joined).
  void end_within(std::chrono::milliseconds after, int code);

 private:
  void run();

  const Progress& progress_;
  const Options options_;
  const End end_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::atomic<std::int64_t> rounds_left_{-1};
  std::atomic<int> code_{0};
  std::thread thread_;
};

}  // namespace pollux
