// The housekeeper: looks after the disk in small portions. Measures how full it is, verifies a few records a
// second (scrub), and lets old records leave the trail (retention; the copying half, the forcer does the rest).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <thread>

#include "core_inbox.h"
#include "counters.h"
#include "forcer.h"
#include "log.h"
#include "pollux/audit/archive.h"
#include "pollux/audit/trail.h"
#include "shared_state.h"

namespace pollux {

struct DiskUse {
  std::uint64_t bytes_total = 0, bytes_free = 0;
  std::uint64_t bytes_usable = 1;  ///< that users may fill, used or not
  /// As `df` counts: of what users may fill.
  double percent = 0;
};
Result<DiskUse> disk_use(const std::filesystem::path& directory);
/// What can be written although the disk is full: LMDB's files never shrink, but use their free pages again. Every
/// request needs room in both files, so the smaller of the two counts.
std::uint64_t reusable_bytes(const std::filesystem::path& member, const Trail& trail, const Tables& tables);

class Housekeeper {
 public:
  struct Parts {
    const Trail& trail;
    SharedState& state;
    Forcer& forcer;
    CoreInbox& inbox;
    MemberCounters& counters;
    MemberLog& log;
  };
  struct Options {
    std::filesystem::path directory;
    double warn_percent = 80, full_percent = 95, stop_percent = 98;
    RetentionOptions retention;
    std::chrono::milliseconds round{1000};
    std::size_t scrub_records = 64;  ///< a round
  };
  Housekeeper(const Parts& parts, const Options& options)
      : parts_(parts), options_(options), retention_(options.retention) {}
  ~Housekeeper() { stop(); }

  void start();
  void stop();

 private:
  void run();
  void look_at_disk();
  void scrub();
  /// True if there is more to do.
  bool retain();
  bool wait(std::chrono::milliseconds time);

  const Parts parts_;
  const Options options_;
  Retention retention_;
  bool warned_ = false, full_ = false, exhausted_ = false, retention_failed_ = false, disk_failed_ = false;
  Lsn scrubbed_;  ///< the last one looked at
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pollux
