// Facts that happen to a member: what `Pair::step` is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "pollux/core/configuration.h"
#include "pollux/core/peer_messages.h"
#include "pollux/core/record.h"
#include "pollux/core/requester_messages.h"
#include "pollux/core/session_table.h"

namespace pollux {

/// The first event: what this member found on its disk. Sent once.
struct Recovered {
  MemberState state;                     ///< the incarnation must be that of the options
  Position trail_base, trail_last;
  Lsn applied;                           ///< of the tables
  bool incomplete = false;               ///< the tables hold an unfinished snapshot
  SessionTable sessions;                 ///< as of `applied`
  std::vector<RecordPtr> unapplied;      ///< records after `applied`, in order
  std::vector<SyncId> quarantined;       ///< found in execution when an earlier run died
};

struct Tick {};  ///< time went by; at least every heartbeat / 2

struct PeerSaid { PeerMessage message; };
struct RequesterSaid {
  Route route;
  RequesterMessage message;
  bool frees_space = false;  ///< a Request's, by the service's word; need not be asked while there is room
};

// Answers to actions. `ticket` repeats the action's.
struct WitnessSaid {
  std::uint64_t ticket = 0;
  enum class Outcome : std::uint8_t {
    read,        ///< answer to a read
    won,         ///< the proposal is now the configuration
    lost,        ///< another configuration has that epoch; `view` shows it
    in_doubt,    ///< no answer, or one that does not tell: it may have happened, or happen later
  };
  Outcome outcome = Outcome::in_doubt;
  std::optional<WitnessView> view;       ///< with read, won, lost
  std::string text;                      ///< why, for people
};
/// In LSN order, one for each item of Execute. Those that came together begin one force together.
struct Executed { std::vector<RecordPtr> records; };
struct Forced { Position upto; };        ///< append of a Force is durable
struct Persisted { std::uint64_t ticket = 0; };
struct Applied { Lsn upto; };            ///< the tables now show this LSN
struct HashesRead { std::uint64_t ticket = 0; std::vector<Position> known; };
struct TailRead { std::uint64_t ticket = 0; std::vector<RecordPtr> records; bool gone = false; };
struct SnapshotRead { std::uint64_t ticket = 0; SnapshotTell chunk; bool failed = false; };
struct TrailCut { Position last; Lsn applied; SessionTable sessions; std::vector<RecordPtr> unapplied; };
/// Answer to InstallSnapshot: where to go on, and the tags seen so far.
struct SnapshotInstalled { std::string next; bool rows_complete = false; Position first_tag, last_tag; };
struct TrailReset { Position base; SessionTable sessions; };
struct RecordRepaired { Lsn lsn; bool ok = false; };

struct StorageFailed { Error error; };   ///< EIO, ENOSPC, a failed flush: the member stops (I11)
struct DamageFound { Lsn lsn; };         ///< a damaged record in the trail: fetch it from the peer
/// `full`: above the first mark; only requests that free space are executed. `exhausted`: above the second; none is.
struct DiskPressure { bool full = false, exhausted = false; };

/// Proof of death of a run, from the robust mutex or the supervisor's pidfd (I8).
struct DeathReported { RunId run; BootId boot; };

// An operator's orders. The answer comes as an action OrderAnswered with the same ticket.
struct SwitchOrdered { std::uint64_t ticket = 0; };
struct TakeoverOrdered { std::uint64_t ticket = 0; };
struct WitnessAdoptOrdered { std::uint64_t ticket = 0; };
/// Finish what is on its way, switch if possible, stop. If the other member is ordered to stop, too, both stay named
/// in the configuration. `alone`: it is to go on.
struct StopOrdered { bool alone = false; };

using Event = std::variant<Recovered, Tick, PeerSaid, RequesterSaid, WitnessSaid, Executed, Forced, Persisted, Applied,
                           HashesRead, TailRead, SnapshotRead, TrailCut, SnapshotInstalled, TrailReset, RecordRepaired,
                           StorageFailed, DamageFound, DiskPressure, DeathReported, SwitchOrdered, TakeoverOrdered,
                           WitnessAdoptOrdered, StopOrdered>;

}  // namespace pollux
