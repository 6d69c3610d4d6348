// The applier: the only thread that writes the tables. Brings committed records into them in large batches,
// off the caller's path, and installs snapshots.
#pragma once

#include <deque>
#include <thread>
#include <variant>
#include <vector>

#include "core_inbox.h"
#include "counters.h"
#include "log.h"
#include "pollux/audit/trail.h"
#include "pollux/core/actions.h"
#include "quarantine.h"
#include "shared_state.h"
#include "work_queue.h"

namespace pollux {

/// Committed records that follow those given before.
struct ApplyRecords {
  std::vector<RecordPtr> records;
};

class Applier {
 public:
  struct Parts {
    const Trail& trail;
    SharedState& state;
    Quarantine& quarantine;
    CoreInbox& inbox;
    MemberCounters& counters;
    MemberLog& log;
  };
  struct Options {
    std::size_t records_max = 65536;         ///< applied in one transaction
    std::chrono::milliseconds every{200};    ///< how long records wait for a larger batch
  };
  Applier(const Parts& parts, const Options& options) : parts_(parts), options_(options) {}
  ~Applier() { stop(); }

  /// CutTrail and ResetTrail come from the forcer, when the trail is cut or reset: the tables' side of them.
  using Job = std::variant<ApplyRecords, InstallSnapshot, CutTrail, ResetTrail>;
  void start();
  void stop();  ///< applies what it was given, then ends
  void give(Job job) { jobs_.push(std::move(job)); }

 private:
  void run();
  void carry_out(ApplyRecords& job);
  void carry_out(InstallSnapshot& job);
  void carry_out(CutTrail& job);
  void carry_out(ResetTrail& job);
  bool apply_waiting();
  bool apply(std::vector<RecordPtr> records);
  void tidy_memory();
  void storage_failed(const Error& error);

  const Parts parts_;
  const Options options_;
  WorkQueue<Job> jobs_;
  std::deque<RecordPtr> waiting_;
  Instant waiting_since_{};
  Instant tidied_{};
  std::size_t applied_since_tidy_ = 0;
  bool failed_ = false;
  std::thread thread_;
};

}  // namespace pollux
