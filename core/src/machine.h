// The state of one member's view of its pair. Private to core.
//
// Each kind of event is handled in a file of its own (on_request.cc, on_checkpoint.cc, ...), in the order
// ignore, check, act. After every event `pump` (pump.cc) moves on what can move: it gives requests to the
// executor, batches to the forcer and checkpoints to the peer, commits, and releases replies. So a handler
// only states what it learnt.
//
// How far things are, on a primary:   applied <= committed <= durable <= forcing <= executed <= dispatched.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "pollux/core/check.h"
#include "pollux/core/pair.h"
#include "recent_records.h"

namespace pollux {

class Pair::Machine {
 public:
  explicit Machine(PairOptions options) : options_(std::move(options)) {}

  void step(Event event, Now now, Actions& out);
  [[nodiscard]] PairStatus status() const;

 private:
  // ---- events, one file each -----------------------------------------------------------------------------
  void on(Recovered&& event);
  void on(Tick&& event);
  void on(PeerSaid&& event);
  void on(RequesterSaid&& event);
  void on(WitnessSaid&& event);
  void on(Executed&& event);
  void on(Forced&& event);
  void on(Persisted&& event);
  void on(Applied&& event);
  void on(HashesRead&& event);
  void on(TailRead&& event);
  void on(SnapshotRead&& event);
  void on(TrailCut&& event);
  void on(SnapshotInstalled&& event);
  void on(TrailReset&& event);
  void on(RecordRepaired&& event);
  void on(StorageFailed&& event);
  void on(DamageFound&& event);
  void on(DiskPressure&& event);
  void on(DeathReported&& event);
  void on(SwitchOrdered&& event);
  void on(TakeoverOrdered&& event);
  void on(WitnessAdoptOrdered&& event);
  void on(StopOrdered&& event);

  // ---- peer messages -------------------------------------------------------------------------------------
  void on_peer(const Envelope& from, PeerHello&& message);
  void on_peer(const Envelope& from, Heartbeat&& message);
  void on_peer(const Envelope& from, HeartbeatAck&& message);
  void on_peer(const Envelope& from, Checkpoint&& message);
  void on_peer(const Envelope& from, CheckpointAck&& message);
  void on_peer(const Envelope& from, Confirm&& message);
  void on_peer(const Envelope& from, ConfirmAck&& message);
  void on_peer(const Envelope& from, HashAsk&& message);
  void on_peer(const Envelope& from, HashTell&& message);
  void on_peer(const Envelope& from, TailAsk&& message);
  void on_peer(const Envelope& from, Tail&& message);
  void on_peer(const Envelope& from, SnapshotAsk&& message);
  void on_peer(const Envelope& from, SnapshotTell&& message);
  void on_peer(const Envelope& from, RecordAsk&& message);
  void on_peer(const Envelope& from, RecordTell&& message);
  void on_peer(const Envelope& from, ConfigurationNews&& message);
  void on_peer(const Envelope& from, AdoptAsk&& message);
  void on_peer(const Envelope& from, AdoptPledge&& message);
  bool know_sender(const Envelope& from, const PeerBody& body);
  void peer_started(const MemberId& id);
  void peer_is_there(const BootId& boot, const std::string& death_sign);

  // ---- requester messages (on_request.cc, on_read.cc) ------------------------------------------------------
  void on_requester(Route route, std::uint64_t number, OpenSession&& message);
  void on_requester(Route route, std::uint64_t number, CloseSession&& message);
  void on_requester(Route route, std::uint64_t number, Request&& message, bool frees_space);
  void on_requester(Route route, std::uint64_t number, Query&& message);
  void on_requester(Route route, std::uint64_t number, OutcomeAsk&& message);
  bool admit(Route route, std::uint64_t number, const SyncId& sync, std::size_t payload_bytes);
  void answer(Route route, std::uint64_t number, Code code, std::string text);
  void answer_after(Lsn barrier, Route route, RequesterReply reply);
  void answer_after_all(Route route, std::uint64_t number, Code code, std::string text);
  [[nodiscard]] RequesterReply reply_of(std::uint64_t number, Code code, std::string payload) const;
  [[nodiscard]] RequesterReply who_serves() const;
  void turn_away_callers(Code code, const std::string& text);
  void start_confirm_round();
  void hand_out_reads();
  void expire_sessions();
  [[nodiscard]] std::int64_t idle_us(const SessionId& id, const Session& session);

  // ---- roles and configurations (roles.cc, proposals.cc) -----------------------------------------------------
  void change_role(Role to, std::string reason);
  void learn(const Configuration& configuration, std::string reason);
  void adopt(const Configuration& configuration, const std::string& reason);
  void become_leading(const std::string& reason);
  void begin_serving();
  void take_up_parked();
  void step_down(Role to, const std::string& reason);
  void lead_when_ready();

  enum class Proposal : std::uint8_t { lead, join, hand_over };
  void propose(Proposal kind, Configuration next, std::string reason);
  /// No one below the floor may lead (I3). Says so, once.
  bool below_floor();
  void propose_lead(const std::string& reason);
  void go_solo(const std::string& reason, bool proven_death = false);
  void begin_join(const MemberId& newcomer, const Position& after, const Position& durable);
  void propose_join();
  void give_up_join();
  void consider_takeover();
  void consider_left_behind();
  void consider_restart_lead();
  void retry_proposal();
  void finish_switch();
  void cancel_switch(const std::string& reason);
  bool witness_is_ours(const WitnessView& view);
  void refuse_witness(const WitnessView& view, bool other);

  // ---- adopting a witness by order (adopt_witness.cc) ---------------------------------------------------------
  void drive_adoption();
  void end_adoption(Code code, std::string text);
  void forget_witness_answers();
  struct Held {
    Position upto;
    bool exact = false;  ///< nothing beyond was acknowledged in this epoch
  };
  /// Up to where this member may hold what was acknowledged.
  [[nodiscard]] Held may_hold() const;
  void persist(const Configuration& configuration);
  [[nodiscard]] MemberState member_state(const Configuration& configuration) const;

  // ---- records (records.cc, pump.cc) -------------------------------------------------------------------------
  void take_executed(const RecordPtr& sealed);
  void accept_record(const RecordPtr& record, bool add_to_overlay);
  void learn_committed(const Position& committed);
  void acknowledge_checkpoints(std::optional<Position> resend_after = std::nullopt);
  void pump();
  void dispatch_requests();
  void dispatch(Execute::Item&& item);
  void force_batch();
  void send_checkpoints();
  void commit();
  void release_replies();
  void trim_recent();

  enum class Phase : std::uint8_t { none, find, compare, cut, tail, snapshot_begin, snapshot, snapshot_install, reset };

  // ---- catch-up, receiving side (catch_up.cc) and giving side (give_tail.cc) -----------------------------------
  void start_catch_up();
  void restart_catch_up();
  [[nodiscard]] bool bound_by_promise() const { return promised_.value > 0 && promised_ == config_.epoch; }
  void enter(Phase phase);
  void find_common();
  void found_common(const Position& common);
  void ask_tail();
  void start_snapshot(bool resume);
  void ask_snapshot();
  void drive_catch_up();
  void give_tail(const Position& after, std::vector<RecordPtr> records, bool gone);

  // ---- small helpers -----------------------------------------------------------------------------------------
  void send(PeerBody body);
  void log(Log::Level level, std::string text);
  void stop(bool abort, Code code, std::string text);
  void beat();
  [[nodiscard]] bool lingers() const;
  void forgive_own_pause();
  [[nodiscard]] bool leads_or_serves() const { return role_ == Role::primary || role_ == Role::leading; }
  [[nodiscard]] bool needs_backup() const { return config_.backup.has_value() || joining_.has_value(); }
  [[nodiscard]] std::optional<MemberId> second() const { return joining_ ? joining_ : config_.backup; }
  [[nodiscard]] bool from_second(const Envelope& from) const;
  [[nodiscard]] bool from_primary(const Envelope& from) const;
  [[nodiscard]] bool named_by_incarnation() const;
  [[nodiscard]] bool primary_heard() const;
  [[nodiscard]] std::optional<Hash> hash_in_memory(Lsn lsn) const;
  [[nodiscard]] Instant steady() const { return now_.steady; }

  // ---- state ---------------------------------------------------------------------------------------------------
  PairOptions options_;
  Now now_{};
  Actions* out_ = nullptr;
  bool recovered_ = false, stopped_ = false, stopping_ = false, stops_alone_ = false;
  Instant started_{}, stop_ordered_{}, ticked_{};
  std::uint64_t next_ticket_ = 1;

  Role role_ = Role::starting;
  std::string reason_ = "started";
  WallTime role_since_{};
  std::uint64_t takeovers_ = 0, switchovers_ = 0;

  // Configuration: the one acted on, and a newer one that is being persisted. While there is a newer one
  // nothing is committed, served or acknowledged (I10).
  Configuration config_;
  std::optional<Configuration> newer_;
  std::string newer_reason_;
  std::uint64_t persist_ticket_ = 0, persisted_ticket_ = 0;  ///< of the last order, and of the last answer
  Instant persist_began_{};

  // The witness (I13).
  WitnessId witness_{};
  std::uint64_t witness_revision_ = 0, witness_revision_stable_ = 0;
  bool witness_heard_ = false, witness_refused_ = false;
  int witness_low_ = 0;                                    ///< answers in a row that knew less than this member
  std::optional<WitnessView> refused_view_;
  Instant witness_asked_{};
  std::uint64_t read_ticket_ = 0;
  std::uint64_t witness_heard_from_ = 0;                   ///< answers to calls with lower tickets are not heard
  std::optional<WitnessId> adoptable_;                     ///< accepted, by order, once it knows enough
  Instant adoptable_since_{};
  struct Adoption {
    std::uint64_t order = 0;
    WitnessId witness;
    std::uint64_t number = 0;                              ///< of the pledge asked for
    Instant since{}, asked{}, proposed{};
    bool pledged = false;
    Position floor;                                        ///< what the witness is to know, at least
    std::uint64_t ticket = 0;                              ///< of the compare-and-swap under way; 0: none
  };
  std::optional<Adoption> adoption_;

  struct Pending {
    Proposal kind = Proposal::lead;
    Configuration next;
    std::string reason;
    std::uint64_t ticket = 0;
    Instant sent{};
    bool in_doubt = false;
  };
  std::optional<Pending> proposal_;

  // Records.
  RecentRecords recent_;
  Position executed_, durable_, committed_;
  Lsn forcing_, dispatched_, applied_;
  std::size_t unforced_bytes_ = 0;
  bool force_under_way_ = false;
  Instant force_began_{};
  std::size_t executed_bytes_ = 0;                         ///< of all records accepted by this run
  std::deque<std::pair<Lsn, std::size_t>> unapplied_;      ///< committed: LSN and executed_bytes_ then
  std::size_t applied_bytes_ = 0;
  SessionTable sessions_;
  std::vector<Execute::Item> to_execute_;                  ///< given to the executor at the end of this step
  std::deque<Lsn> executing_;                              ///< given, not yet executed
  Instant front_since_{};                                  ///< since when executing_.front() is the oldest
  Lsn leads_lsn_;                                          ///< of this primary's first record
  bool serving_ = false, disk_full_ = false, disk_exhausted_ = false;
  bool rebuild_needed_ = false;                            ///< sessions and overlay hold records that were dropped

  // Callers.
  struct Caller {
    Route route;
    std::uint64_t number = 0;
  };
  struct Queued {
    RecordKind kind = RecordKind::request;
    SyncId sync;
    std::uint64_t ack_below = 0;
    std::uint64_t trace = 0;
    std::string payload;
    std::optional<Code> verdict;
    Instant deadline = Instant::max();
  };
  std::deque<Queued> queue_;
  std::size_t queue_bytes_ = 0;
  using Callers = boost::container::small_vector<Caller, 1>;
  boost::unordered_flat_map<SyncId, Callers, std::hash<SyncId>> in_flight_;  ///< queued or executing; seq 0: opens or closes a session
  std::unordered_map<SessionId, std::size_t> in_flight_of_session_;
  struct Waiting {
    Lsn barrier;
    Route route;
    RequesterReply reply;
  };
  std::deque<Waiting> replies_;                            ///< barriers never decrease
  std::deque<RequesterSaid> parked_;                       ///< arrived before this primary serves, or while it persists a configuration
  std::unordered_set<SyncId> quarantined_;
  Instant sessions_checked_{};
  struct Ahead {
    Lsn newest;                                            ///< of its replies, when it was looked at first
    std::uint64_t ack_below = 0;
    Instant since{};
  };
  std::unordered_map<SessionId, Ahead> ahead_;             ///< sessions last used in what the clock calls the future

  // Reads (I7).
  struct Read {
    RunQuery query;
    Instant deadline;
  };
  std::deque<Read> reads_waiting_, reads_in_round_;
  std::uint64_t confirm_number_ = 0;
  Instant confirm_sent_{};
  Instant lease_until_{};

  // The peer.
  std::optional<MemberId> peer_;
  std::set<RunId> peer_past_runs_;
  Epoch peer_epoch_;                                       ///< the newest that the peer's run bore
  BootId peer_boot_{};
  std::string peer_death_sign_;
  Instant peer_heard_{};
  bool peer_ever_heard_ = false, peer_dead_ = false;
  Position peer_durable_;
  Lsn peer_applied_;
  Instant hello_sent_{}, news_sent_{}, news_heard_{};
  std::unordered_set<std::string> told_once_;

  // As primary: the member in the second place.
  std::optional<MemberId> joining_;                        ///< `join` sent or about to be, its outcome unknown (I5)
  Position acked_;                                         ///< what the second member holds on its disk
  bool second_acked_ = false;                              ///< it has said so itself, in this place
  bool checkpoint_wanted_ = false;                         ///< send one even if there are no records
  Lsn sent_;                                               ///< checkpoints were sent up to here
  Lsn sent_most_;                                          ///< the same, not set back when they are sent again
  Instant acked_progress_{}, checkpoint_sent_{};
  struct Beat {
    std::uint64_t number;
    Instant sent;
  };
  std::deque<Beat> beats_;
  std::uint64_t beat_number_ = 0;
  Instant beat_sent_{}, beat_acked_{};
  Instant floor_raised_{};
  Instant rejoin_not_before_{};
  Duration rejoin_backoff_{};
  Instant joined_at_{};

  // As primary: switchover.
  bool handing_ = false;
  bool hand_over_proposed_ = false;
  Instant handing_since_{};
  std::optional<std::uint64_t> switch_order_, takeover_order_;
  bool takeover_ordered_ = false;

  // As backup: grace and the run whose heartbeats were acknowledged (I7, I8).
  Instant primary_heard_{};
  bool primary_heard_ever_ = false;
  std::optional<RunId> acknowledged_run_;
  Epoch promised_;                                         ///< see MemberState
  std::uint64_t promise_ticket_ = 0;                       ///< being persisted; 0: it stands
  Instant grace_over_{};

  // Catch-up, receiving side.
  Phase phase_ = Phase::none;
  Instant phase_since_{};
  std::vector<Position> mine_;                             ///< own hashes at the LSNs asked about
  Position common_low_;
  bool common_known_ = false, found_then_gone_ = false;
  Lsn common_high_;                                        ///< lowest LSN known to differ, or last + 1
  std::string snapshot_cursor_;
  bool incomplete_ = false;
  Lsn incomplete_until_;
  bool tail_asked_ = false, restart_catch_up_ = false;

  // Catch-up, giving side, and repair.
  struct PeerRead {
    enum class For : std::uint8_t { hashes, tail, snapshot, record, own_hashes } purpose;
    Position after;
    std::vector<Lsn> lsns;
    Instant asked;
  };
  std::unordered_map<std::uint64_t, PeerRead> peer_reads_;
  std::set<Lsn> damaged_;
  Instant damaged_asked_{};
};

}  // namespace pollux
