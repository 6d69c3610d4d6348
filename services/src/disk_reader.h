// The disk reader: reads the trail and the tables for a member that catches up, on a thread of its own, so that
// the primary's core never waits for a disk.
#pragma once

#include <thread>
#include <variant>

#include "core_inbox.h"
#include "counters.h"
#include "log.h"
#include "pollux/audit/trail.h"
#include "pollux/core/actions.h"
#include "shared_state.h"
#include "work_queue.h"

namespace pollux {

class DiskReader {
 public:
  struct Parts {
    const Trail& trail;
    SharedState& state;
    CoreInbox& inbox;
    MemberCounters& counters;
    MemberLog& log;
  };
  explicit DiskReader(const Parts& parts) : parts_(parts) {}
  ~DiskReader() { stop(); }

  using Job = std::variant<ReadHashes, ReadTail, ReadSnapshot>;
  void start();
  void stop();
  void give(Job job) { jobs_.push(std::move(job)); }

 private:
  void run();
  void carry_out(const ReadHashes& job);
  void carry_out(const ReadTail& job);
  void carry_out(const ReadSnapshot& job);
  std::vector<RecordPtr> records_before_damage(Lsn after, std::size_t bytes_max);

  const Parts parts_;
  WorkQueue<Job> jobs_;
  std::thread thread_;
};

}  // namespace pollux
