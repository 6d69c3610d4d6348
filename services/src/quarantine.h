// Requests that were in execution when an earlier run of this member died. They stand in a small durable file
// until their outcome is in the trail.
//
// A request that certainly did the harm (its thread crashed, or it hung) is quarantined at once: it is not
// tried again. One that was merely in execution when the process was killed from outside is a suspect: it gets
// one more try, and is quarantined if the process dies in it again (docs/decisions tells why).
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "executing_mark.h"
#include "pollux/core/record.h"
#include "pollux/core/result.h"
#include "pollux/core/session_table.h"

namespace pollux {

class Quarantine {
 public:
  /// Reads `<directory>/quarantine`. One that can't be understood is an error that says what to do.
  static Result<std::unique_ptr<Quarantine>> open(const std::filesystem::path& directory);

  /// Adds what an earlier run left, durably. At most `entries_max` are kept; beyond, the oldest leaves.
  Result<void> add(const InterruptedRequest& request);
  /// Removes those that the session table knows the outcome of, or whose session is no longer.
  Result<void> settle(const SessionTable& sessions);
  /// Removes those whose outcome is in one of these records. Cheap while there are none.
  Result<void> settle(const std::vector<RecordPtr>& records);

  /// Not to be tried again.
  [[nodiscard]] std::vector<SyncId> quarantined() const;

  static constexpr std::size_t entries_max = 256;

 private:
  struct Entry {
    SyncId sync;
    bool certain = false;
  };
  explicit Quarantine(std::filesystem::path file) : file_(std::move(file)) {}
  Result<void> store();  ///< with the mutex held

  std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  ///< oldest first
  std::atomic<bool> empty_{true};
};

}  // namespace pollux
