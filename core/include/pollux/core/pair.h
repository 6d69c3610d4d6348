// One member's view of its pair, as a pure state machine: DESIGN sections 3 and 4.
//
// `step(event, now, actions)` changes the state and appends what must be done. There are no sockets, clocks,
// threads, files or random numbers in here: the member process (services/member) joins this to ZeroMQ, LMDB
// and the witness; the simulator (tests/simulation) joins the same code to a world made from a seed.
//
// Start reading at src/machine.h, which holds the state; each kind of event has a file of its own in src/.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pollux/core/actions.h"
#include "pollux/core/events.h"
#include "pollux/core/options.h"

namespace pollux {

struct PairStatus {
  Role role = Role::starting;
  bool serving = false;
  bool solo = false;             ///< primary without backup: durable on one disk
  bool joining = false;          ///< a `join` is on its way
  Configuration configuration;
  Position executed, durable, committed;
  Lsn applied;
  std::string reason;            ///< of the last role change
  WallTime role_since;
  bool peer_heard = false;       ///< within takeover_after
  std::optional<MemberId> peer;
  Position peer_durable;
  Lsn peer_applied;
  std::string waiting_for;       ///< plain words if it waits for somebody or something; empty otherwise
  bool witness_refused = false;  ///< I13: `pollux witness adopt` is needed
  bool disk_full = false;        ///< only requests that free space are executed
  bool disk_exhausted = false;   ///< not even those
  std::size_t sessions = 0, queued = 0, executing = 0, uncommitted = 0, reads_waiting = 0;
  std::uint64_t takeovers = 0, switchovers = 0;
};

class Pair {
 public:
  /// `options` must have passed check(). The first event must be Recovered.
  explicit Pair(const PairOptions& options);
  ~Pair();
  Pair(Pair&&) noexcept;
  Pair& operator=(Pair&&) noexcept;

  /// `now` never goes back. Appends to `actions`. After a Stop action the pair takes no further events.
  void step(Event event, Now now, Actions& actions);

  [[nodiscard]] PairStatus status() const;

  class Machine;

 private:
  std::unique_ptr<Machine> machine_;
};

}  // namespace pollux
