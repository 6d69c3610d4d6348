#include "http/work_thread.h"

#include <utility>

namespace pollux {

WorkThread::WorkThread(std::size_t waiting_max) : waiting_max_(waiting_max), thread_([this] { run(); }) {}

WorkThread::~WorkThread() { stop(); }

bool WorkThread::push(std::move_only_function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(work));
  }
  wake_.notify_one();
  return true;
}

void WorkThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void WorkThread::run() {
  for (;;) {
    std::move_only_function<void()> work;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
      if (stopped_) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace pollux
