// The forcer: the only thread that writes the trail. Appends and forces batches, persists the member's state,
// cuts and resets the trail for a rejoin, repairs records, and lets old records leave between all that.
#pragma once

#include <filesystem>
#include <future>
#include <thread>
#include <variant>

#include "core_inbox.h"
#include "counters.h"
#include "log.h"
#include "pollux/audit/archive.h"
#include "pollux/audit/trail.h"
#include "pollux/core/actions.h"
#include "shared_state.h"
#include "work_queue.h"

namespace pollux {

class Applier;

/// The short half of retention: a portion of old records leaves the trail. `done` is told if there is more.
struct DropOldRecords {
  Retention* retention = nullptr;
  std::promise<Result<bool>> done;
};

class Forcer {
 public:
  struct Parts {
    Trail& trail;
    SharedState& state;
    Applier& applier;  ///< told of cuts and resets: it completes them and answers core
    CoreInbox& inbox;
    MemberCounters& counters;
    MemberLog& log;
  };
  /// `aside_directory`: what a rejoin cuts off is kept there.
  Forcer(const Parts& parts, std::filesystem::path aside_directory)
      : parts_(parts), aside_directory_(std::move(aside_directory)) {}
  ~Forcer() { stop(); }

  using Job = std::variant<Force, Persist, CutTrail, ResetTrail, RepairRecord, DropOldRecords>;
  void start();
  void stop();  ///< after the jobs given so far
  void give(Job job) { jobs_.push(std::move(job)); }

 private:
  void run();
  void carry_out(Force& job);
  void carry_out(Persist& job);
  void carry_out(CutTrail& job);
  void carry_out(ResetTrail& job);
  void carry_out(RepairRecord& job);
  void carry_out(DropOldRecords& job);
  void storage_failed(const Error& error);

  const Parts parts_;
  const std::filesystem::path aside_directory_;
  WorkQueue<Job> jobs_;
  bool failed_ = false;  ///< nothing is written any more (I11)
  std::thread thread_;
};

}  // namespace pollux
