// What `bench commit` found, and its two forms on paper.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "host/host.h"
#include "pollux/bench/histogram.h"
#include "pollux/bench/load.h"

namespace pollux {

/// Where the time of a commit goes, with one request outstanding: means, so that they add up.
struct CommitStages {
  std::uint64_t requests = 0;  ///< that were followed; 0: none
  std::int64_t total_ns = 0;   ///< as the requester sees it
  std::int64_t message_ns = 0; ///< a round trip of such a message over the same kind of socket, without a pair
  std::int64_t execute_ns = 0, force_ns = 0, checkpoint_ns = 0, both_ns = 0, reply_ns = 0;  ///< as of MemberStages

  /// What is left: threads that wake up, queues, the requester.
  [[nodiscard]] std::int64_t residual_ns() const { return total_ns - message_ns - execute_ns - both_ns - reply_ns; }
};

struct CommitStep {
  unsigned outstanding = 0;
  ClosedLoadResult load;  ///< of all rounds
  CommitStages stages;
  /// Median, 99th percentile (if enough samples stand behind it) and thousandths of a commit a second of each round.
  std::vector<std::int64_t> rounds_p50_ns, rounds_p99_ns, rounds_rate_milli;
};

/// How far a member's tables (sessions are in them) were behind what was committed.
struct MemberAtLoad {
  std::string name, role;
  std::uint64_t lag_largest = 0, lag_at_end = 0;  ///< records
  std::uint64_t sessions = 0;
  std::uint64_t memory_at_start = 0, memory_largest = 0;  ///< RssAnon, bytes
  std::int64_t processor_ns = 0;  ///< since the process began
};
struct SustainedRun {
  CommitStep step;
  std::vector<MemberAtLoad> members;
  std::int64_t settle_ns = 0;  ///< from the last answer until everything was applied on both
  bool keeps_up = false;
  /// Processor time a request took in each member, and in this process (requester and load).
  std::int64_t member_processor_ns[2] = {}, requester_processor_ns = 0;
};

/// What must hold when all is over.
struct EndCheck {
  bool trails_equal = false, sum_right = false;
  std::uint64_t lsn = 0;
  std::string hash;
  std::string wrong;  ///< one sentence; empty if all is well
};

struct PlacementRun {
  std::string name;       ///< "free", "same-core", "other-core"
  std::string placement;  ///< which process on which CPU, in words
  Histogram floor_before, floor_after, floor;
  std::uint64_t steal_ppm = 0;
  std::vector<CommitStep> steps;
  std::vector<SustainedRun> sustained;  ///< one or none
  std::vector<MemberAtLoad> members;    ///< at the end of it all
  EndCheck check;
};

struct StallRun {
  std::uint64_t resident_bytes = 0;
  unsigned kills = 0, per_second = 0;
  Histogram stall;          ///< longest wait between a kill and the pair being in sync again, one a kill
  Histogram takeover;       ///< of the requests due within 10 ms of the kill, one a kill
  Histogram undisturbed;    ///< longest wait in the second before each kill
  Histogram in_sync_after;  ///< from the kill until both members were in sync again
  Histogram latency;        ///< of all requests
  std::int64_t latest_send_ns = 0;
  LoadCounts counts;
  std::vector<MemberAtLoad> members;
  EndCheck check;
};

struct CommitReport {
  HostProfile host;
  std::string directory, file_system;
  std::uint32_t accounts = 0;
  unsigned requesters = 1;
  std::vector<PlacementRun> placements;
  std::vector<StallRun> stalls;
  std::vector<std::string> invalid, noisy, failed;  ///< reasons, one sentence each

  [[nodiscard]] const char* verdict() const;
};

/// Fills in the reasons that follow from the figures.
void judge(CommitReport& report);
void print_table(const CommitReport& report, std::ostream& out);

}  // namespace pollux
