// Signs of death between two members on one host: a robust mutex in a mapped file, held by the thread that runs
// core. When that thread ends, however it ends, the kernel hands the mutex to who waits for it: 0.14 ms after
// SIGKILL, whatever the process's size.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "pollux/core/actions.h"
#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

struct DeathSignPage;

/// This member's own sign: `<directory>/alive-<run>`.
class DeathSign {
 public:
  /// Makes the file; removes those of earlier runs.
  static Result<DeathSign> create(const std::filesystem::path& directory, const RunId& run, const BootId& boot);
  DeathSign(DeathSign&&) noexcept;
  DeathSign& operator=(DeathSign&&) = delete;
  ~DeathSign();

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// Called once by the thread whose end is to be seen. It never lets go.
  void hold();

 private:
  DeathSign(std::filesystem::path file, DeathSignPage* page) : file_(std::move(file)), page_(page) {}
  std::filesystem::path file_;
  DeathSignPage* page_;
};

/// Waits on a thread of its own for the death of one run.
class DeathWatch {
 public:
  using Died = std::function<void(const RunId& run, const BootId& boot)>;
  using Say = std::function<void(const std::string& line)>;
  /// `died` and `say` are called on the watch's thread. `boot`: of this host; signs of others are ignored.
  DeathWatch(const BootId& boot, Died died, Say say);
  ~DeathWatch();

  void start();
  void stop();
  /// Watches that run from now on, instead of the one before.
  void watch(const WatchPeer& target);

  /// How long a wait lasts before it looks whether it is still wanted.
  static constexpr std::chrono::milliseconds slice{100};

 private:
  void run();
  enum class Seen : std::uint8_t { dead, nothing, other_target };
  Seen watch_page(DeathSignPage* page, std::uint64_t number);

  const BootId boot_;
  const Died died_;
  const Say say_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<WatchPeer> target_;
  std::atomic<std::uint64_t> number_{0};  ///< of the target, grows with each
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace pollux
