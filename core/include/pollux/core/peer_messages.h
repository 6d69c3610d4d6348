// What the two members of a pair say to each other.
//
// Every message bears an envelope (I10): cluster, generation, incarnation, run and epoch of its sender.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pollux/core/configuration.h"
#include "pollux/core/record.h"

namespace pollux {

struct Envelope {
  ClusterId cluster;
  std::string pair;
  Generation generation;
  MemberId from;
  Epoch epoch;
  bool operator==(const Envelope&) const = default;
};

/// A member that isn't primary says that it is there, and how far it is.
struct PeerHello {
  BootId boot;
  Position durable;
  Lsn applied;
  bool catching_up = false;  ///< false: backup, or waiting
  Configuration configuration;
  std::string death_sign;    ///< path of the file with its robust mutex; empty if none
  bool operator==(const PeerHello&) const = default;
};

/// From the primary, on the heartbeat socket. Also tells the configuration and the committed position.
struct Heartbeat {
  std::uint64_t number = 0;  ///< grows; the acknowledgement repeats it
  BootId boot;
  Configuration configuration;
  Position committed;
  std::string death_sign;
  bool operator==(const Heartbeat&) const = default;
};
struct HeartbeatAck {
  std::uint64_t number = 0;
  BootId boot;
  Position durable;
  Lsn applied;
  std::string death_sign;
  bool operator==(const HeartbeatAck&) const = default;
};

/// Records that follow `previous`, without a gap; possibly none (then only `committed` is news).
struct Checkpoint {
  Position previous;
  std::vector<RecordPtr> records;
  Position committed;
  bool operator==(const Checkpoint&) const = default;
};
/// The sender holds everything up to `durable` on its disk.
struct CheckpointAck {
  Position durable;
  std::optional<Position> resend_after;  ///< a gap: send again from here
  bool operator==(const CheckpointAck&) const = default;
};

/// Read barrier (I7): does this epoch still stand?
struct Confirm {
  std::uint64_t number = 0;
  bool operator==(const Confirm&) const = default;
};
struct ConfirmAck {
  std::uint64_t number = 0;
  bool operator==(const ConfirmAck&) const = default;
};

/// Catch-up is pulled by the member that returns; the primary keeps no state for it.
struct HashAsk {
  std::vector<Lsn> lsns;
  bool operator==(const HashAsk&) const = default;
};
struct HashTell {
  std::vector<Position> known;  ///< of the LSNs asked for, those whose hash the primary knows
  bool operator==(const HashTell&) const = default;
};
struct TailAsk {
  Position after;      ///< what the asking member has received
  Position durable;    ///< and forced
  bool may_join = true;
  bool operator==(const TailAsk&) const = default;
};
struct Tail {
  Position previous;
  std::vector<RecordPtr> records;
  Position last, committed;  ///< of the primary
  bool gone = false;         ///< no longer in the trail: a snapshot is needed
  bool operator==(const Tail&) const = default;
};
struct SnapshotAsk {
  std::string cursor;
  bool operator==(const SnapshotAsk&) const = default;
};
struct SnapshotTell {
  std::string cursor;        ///< as asked
  Position tag;
  WallTime time;             ///< of the record at `tag`: record times never decrease
  std::vector<Change> rows;
  std::string next;          ///< empty: the last chunk
  bool operator==(const SnapshotTell&) const = default;
};
/// For a damaged record (I12). The answer is a RecordTell.
struct RecordAsk {
  Lsn lsn;
  bool operator==(const RecordAsk&) const = default;
};
struct RecordTell {
  Lsn lsn;
  RecordPtr record;  ///< null if not available
  bool operator==(const RecordTell&) const = default;
};

/// An answer to a message of an older epoch, and the news of a change.
struct ConfigurationNews {
  Configuration configuration;
  bool operator==(const ConfigurationNews&) const = default;
};

/// From a member that an operator ordered to adopt the witness of this id (I13): will the other act on nothing
/// that it may still hear from the witness as it was before? Members of one epoch only hear each other, so the
/// answer also says that the other knows no newer configuration.
struct AdoptAsk {
  std::uint64_t number = 0;  ///< of the order; the pledge repeats it
  WitnessId witness;
  bool operator==(const AdoptAsk&) const = default;
};
struct AdoptPledge {
  std::uint64_t number = 0;
  /// Up to where this member may hold what was acknowledged: the witness's floor must not be lower (I3).
  Position holds;
  bool exact = false;  ///< nothing beyond `holds` was acknowledged in this epoch
  bool operator==(const AdoptPledge&) const = default;
};

using PeerBody = std::variant<PeerHello, Heartbeat, HeartbeatAck, Checkpoint, CheckpointAck, Confirm, ConfirmAck,
                              HashAsk, HashTell, TailAsk, Tail, SnapshotAsk, SnapshotTell, RecordAsk, RecordTell,
                              ConfigurationNews, AdoptAsk, AdoptPledge>;
struct PeerMessage {
  Envelope envelope;
  PeerBody body;
  bool operator==(const PeerMessage&) const = default;
};

/// Goes over the heartbeat socket, so that it never queues behind checkpoints.
inline bool is_heartbeat(const PeerBody& body) {
  return std::holds_alternative<Heartbeat>(body) || std::holds_alternative<HeartbeatAck>(body);
}

}  // namespace pollux
