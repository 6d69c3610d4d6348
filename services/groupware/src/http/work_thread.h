// One thread that does one thing at a time, and a queue with a limit before it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace pollux {

class WorkThread {
 public:
  explicit WorkThread(std::size_t waiting_max);
  ~WorkThread();
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  /// False if the queue is full or stopped: `work` will not run.
  bool push(std::move_only_function<void()> work);
  /// Ends the thread after the work in hand; drops the rest.
  void stop();

 private:
  void run();

  const std::size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::move_only_function<void()>> waiting_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace pollux
