// A queue between two threads. What flows through it is bounded by core's credits, so it has no limit itself.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace pollux {

enum class Taken : std::uint8_t { work, timeout, stopped };

template <class T>
class WorkQueue {
 public:
  void push(T item) {
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
      wake = sleeping_ > 0;
    }
    // A wake-up across cores costs tens of microseconds: spend it only on a consumer that sleeps.
    if (wake) ready_.notify_one();
  }

  /// Moves all of `items` in and leaves it empty.
  void push_all(std::vector<T>& items) {
    if (items.empty()) return;
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      if (items_.empty()) {
        items_.swap(items);
      } else {
        std::move(items.begin(), items.end(), std::back_inserter(items_));
      }
      wake = sleeping_ > 0;
    }
    items.clear();
    if (wake) ready_.notify_one();
  }

  /// Swaps everything into `out` (which must be empty), waiting for the first item. `stopped` only once the
  /// queue is empty.
  Taken take_all(std::vector<T>& out, std::optional<std::chrono::milliseconds> patience = {}) {
    std::unique_lock lock(mutex_);
    const Taken taken = wait(lock, patience);
    if (taken == Taken::work) items_.swap(out);
    return taken;
  }

  /// Takes the oldest item, for several consumers.
  Taken take_one(std::optional<T>& out, std::optional<std::chrono::milliseconds> patience = {}) {
    std::unique_lock lock(mutex_);
    const Taken taken = wait(lock, patience);
    if (taken == Taken::work) {
      out.emplace(std::move(items_[first_]));
      if (++first_ == items_.size()) {
        items_.clear();
        first_ = 0;
      }
    }
    return taken;
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    ready_.notify_all();
  }

  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return items_.size() - first_;
  }

 private:
  Taken wait(std::unique_lock<std::mutex>& lock, std::optional<std::chrono::milliseconds> patience) {
    const auto due = std::chrono::steady_clock::now() + patience.value_or(std::chrono::milliseconds(0));
    while (items_.empty()) {
      if (stopping_) return Taken::stopped;
      ++sleeping_;
      const bool late = patience && ready_.wait_until(lock, due) == std::cv_status::timeout;
      if (!patience) ready_.wait(lock);
      --sleeping_;
      if (late && items_.empty()) return stopping_ ? Taken::stopped : Taken::timeout;
    }
    return Taken::work;
  }

  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<T> items_;
  std::size_t first_ = 0;  ///< of items_, with take_one
  std::size_t sleeping_ = 0;
  bool stopping_ = false;
};

}  // namespace pollux
