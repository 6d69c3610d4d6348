// Orders of `Pair::step` to the world around it. They are carried out in the order given.
//
// "Persist before send" needs no care by the runtime: `core` sends what depends on a disk only after it was
// told Forced or Persisted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pollux/core/configuration.h"
#include "pollux/core/peer_messages.h"
#include "pollux/core/record.h"
#include "pollux/core/requester_messages.h"

namespace pollux {

enum class Role : std::uint8_t {
  starting,     ///< recovering, or has not heard of the witness since its start
  waiting,      ///< not in the configuration by this run, and no primary to catch up from
  catching_up,  ///< being brought in sync; may not take over
  backup,       ///< in sync, ready to take over
  leading,      ///< has won `lead` or `switch`, does not serve yet (I9)
  primary,      ///< serves; solo if the configuration names no backup
  stopped,
};
std::string_view to_string(Role role);

struct SendPeer { PeerMessage message; };
struct SendReply { Route route; RequesterReply reply; };
/// To every requester the transport knows: who serves now.
struct AnnounceRequesters { RequesterReply news; };

/// Execute in LSN order, and answer each with Executed. The item's LSN, epoch and time are those of its record.
struct Execute {
  struct Item {
    Lsn lsn;
    Epoch epoch;
    WallTime time_at_least;             ///< the record's time is max(previous record's, this)
    RecordKind kind = RecordKind::request;
    SyncId sync;
    std::uint64_t ack_below = 0;
    std::uint64_t trace = 0;
    std::string payload;                ///< of a request
    std::optional<Code> verdict;        ///< set: do not call the service, record this code (quarantined, deadline)
    std::shared_ptr<const Leads> leads;  ///< of a leader's first record
  };
  std::vector<Item> items;
};
/// Throw away what was given and not executed; the next item follows `last`. Nothing given before may
/// come back as Executed after this.
struct ResetExecutor { Position last; };

/// Append to the trail and force; answer Forced. At most one is under way.
struct Force { std::vector<RecordPtr> records; };
/// A record became visible to the executor's state (overlay): on the backup on arrival. On the primary the
/// executor itself did it.
struct AddToOverlay { RecordPtr record; };
/// Committed up to here: queries see it, the tables may apply it.
struct Commit { Position upto; };
/// This member serves in `epoch` and has committed so far: for those who read the tables of a member on their host
/// without asking it (serving_page.h). Ordered before anything of `epoch` or beyond `committed` can be seen.
struct TellReaders { Epoch epoch; Lsn committed; };
/// Persist the member's state, forced; answer Persisted.
struct Persist { std::uint64_t ticket = 0; MemberState state; };

struct RunQuery { Route route; std::uint64_t number = 0; std::uint64_t trace = 0; std::string payload; Epoch epoch; };

struct ReadWitness { std::uint64_t ticket = 0; };
struct ProposeWitness { std::uint64_t ticket = 0; Configuration next; };   ///< CAS from next.epoch - 1
/// By order (I13): what this member knows, for a witness that knows less. CAS from the view that was refused;
/// answered as a proposal is.
struct AdoptWitness { std::uint64_t ticket = 0; WitnessView refused; Configuration next; };
struct RaiseFloor { Configuration configuration; };                        ///< same epoch, new floor; no answer

// Catch-up, giving side: answered by HashesRead, TailRead, SnapshotRead.
struct ReadHashes { std::uint64_t ticket = 0; std::vector<Lsn> lsns; };
struct ReadTail { std::uint64_t ticket = 0; Lsn after; std::size_t bytes_max = 0; };
struct ReadSnapshot { std::uint64_t ticket = 0; std::string cursor; std::size_t bytes_max = 0; };
// Catch-up, receiving side: answered by TrailCut, SnapshotInstalled, TrailReset.
struct CutTrail { Position to; };
/// begin: empty the tables and start a snapshot, or with `resume` go on with an interrupted one if there is one.
struct InstallSnapshot { bool begin = false; bool resume = false; SnapshotTell chunk; };
struct ResetTrail { Position base; };
struct RepairRecord { RecordPtr record; };

/// The one place where a role changes, for logs and metrics.
struct RoleChanged { Role from, to; Epoch epoch; std::string reason; };
struct Log { enum class Level : std::uint8_t { info, warning, error } level = Level::info; std::string text; };
struct OrderAnswered { std::uint64_t ticket = 0; Code code = Code::ok; std::string text; };
/// Watch for the death of the peer's run (robust mutex at `death_sign`, pidfd through the supervisor).
struct WatchPeer { RunId run; BootId boot; std::string death_sign; };
/// Stop at once. `abort`: by SIGABRT-like end without cleaning up (a thread hangs). Last action ever.
struct Stop { bool abort = false; Error reason; };

using Action = std::variant<SendPeer, SendReply, AnnounceRequesters, Execute, ResetExecutor, Force, AddToOverlay, Commit,
                            TellReaders, Persist, RunQuery, ReadWitness, ProposeWitness, AdoptWitness, RaiseFloor, ReadHashes, ReadTail,
                            ReadSnapshot, CutTrail, InstallSnapshot, ResetTrail, RepairRecord, RoleChanged, Log,
                            OrderAnswered, WatchPeer, Stop>;
using Actions = std::vector<Action>;

}  // namespace pollux
