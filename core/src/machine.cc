#include "machine.h"

#include <algorithm>

namespace pollux {

std::string_view to_string(Role role) {
  switch (role) {
    case Role::starting: return "starting";
    case Role::waiting: return "waiting";
    case Role::catching_up: return "catching up";
    case Role::backup: return "backup";
    case Role::leading: return "leading";
    case Role::primary: return "primary";
    case Role::stopped: return "stopped";
  }
  return "unknown";
}

Pair::Pair(const PairOptions& options) : machine_(std::make_unique<Machine>(options)) {
  POLLUX_CHECK(check(options).has_value());
}
Pair::~Pair() = default;
Pair::Pair(Pair&&) noexcept = default;
Pair& Pair::operator=(Pair&&) noexcept = default;
void Pair::step(Event event, Now now, Actions& actions) { machine_->step(std::move(event), now, actions); }
PairStatus Pair::status() const { return machine_->status(); }

void Pair::Machine::step(Event event, Now now, Actions& out) {
  POLLUX_CHECK(now.steady >= now_.steady || !recovered_);
  now_ = now;
  out_ = &out;
  if (!stopped_) {
    POLLUX_CHECK(recovered_ != std::holds_alternative<Recovered>(event));
    std::visit([this](auto&& fact) { on(std::forward<decltype(fact)>(fact)); }, std::move(event));
    if (!stopped_) pump();
  }
  out_ = nullptr;
}

void Pair::Machine::on(Recovered&& event) {
  POLLUX_CHECK(event.state.incarnation == options_.me.incarnation);
  recovered_ = true;
  started_ = steady();
  role_since_ = now_.wall;
  config_ = event.state.configuration;
  witness_ = event.state.witness;
  witness_revision_ = witness_revision_stable_ = event.state.witness_revision;
  promised_ = event.state.promised;
  incomplete_ = event.incomplete;

  applied_ = event.applied;
  sessions_ = std::move(event.sessions);
  if (incomplete_) event.unapplied.clear();  // an unfinished snapshot: tables and trail do not fit each other
  Position base = event.trail_last;
  if (!event.unapplied.empty()) {
    POLLUX_CHECK(event.unapplied.front()->record.lsn == applied_.next());
    // The hash before the first of them is not at hand; it is known where the trail begins.
    base = event.trail_base.lsn == applied_ ? event.trail_base : Position{applied_, {}};
  }
  recent_.reset(base);
  executed_ = base;
  for (const RecordPtr& record : event.unapplied) accept_record(record, true);
  POLLUX_CHECK(executed_ == event.trail_last);
  durable_ = event.trail_last;
  forcing_ = dispatched_ = durable_.lsn;
  unforced_bytes_ = 0;
  // What was applied had been committed. More may have been; the primary will say so.
  committed_ = base;
  for (const SyncId& sync : event.quarantined) quarantined_.insert(sync);

  grace_over_ = started_ + options_.grace;  // a former run may have promised until then (I7)
  rejoin_backoff_ = options_.rejoin_backoff_min;
  change_role(Role::starting, "started");
  witness_asked_ = steady();
  read_ticket_ = next_ticket_++;
  out_->push_back(ReadWitness{read_ticket_});
  send(PeerHello{options_.boot, durable_, applied_, false, config_, options_.death_sign});
  hello_sent_ = steady();
}

PairStatus Pair::Machine::status() const {
  PairStatus status;
  status.role = role_;
  status.configuration = config_;
  status.solo = leads_or_serves() && config_.solo() && !joining_;
  status.joining = joining_.has_value();
  status.peer_heard = peer_ever_heard_ && !peer_dead_ && steady() - peer_heard_ < options_.takeover_after;
  // A primary without acknowledged heartbeats stops calling itself one (I7).
  const bool backed = config_.solo() || steady() - beat_acked_ < options_.takeover_after;
  status.serving = serving_ && role_ == Role::primary && !newer_ && backed;
  status.executed = executed_;
  status.durable = durable_;
  status.committed = committed_;
  status.applied = applied_;
  status.reason = reason_;
  status.role_since = role_since_;
  status.peer = peer_;
  status.peer_durable = leads_or_serves() && needs_backup() ? acked_ : peer_durable_;
  status.peer_applied = peer_applied_;
  status.witness_refused = witness_refused_;
  status.disk_full = disk_full_;
  status.disk_exhausted = disk_exhausted_;
  status.sessions = sessions_.size();
  status.queued = queue_.size() + parked_.size();
  status.executing = executing_.size();
  status.uncommitted = executed_.lsn.value - std::min(committed_.lsn, executed_.lsn).value;
  status.reads_waiting = reads_waiting_.size() + reads_in_round_.size();
  status.takeovers = takeovers_;
  status.switchovers = switchovers_;
  if (witness_refused_) {
    status.waiting_for = "an operator: the witness changed or went back in time (pollux witness adopt)";
  } else if (!witness_heard_ && !leads_or_serves() && role_ != Role::backup) {
    status.waiting_for = "the witness";
  } else if (role_ == Role::waiting && !named_by_incarnation()) {
    status.waiting_for = "the primary " + short_name(config_.primary.incarnation) + ", which alone may lead";
  } else if (role_ == Role::primary && proposal_) {
    status.waiting_for = "the witness to answer a change of configuration";
  }
  return status;
}

void Pair::Machine::send(PeerBody body) {
  out_->push_back(SendPeer{PeerMessage{
      Envelope{options_.cluster, options_.pair, config_.generation, options_.me, config_.epoch}, std::move(body)}});
}

void Pair::Machine::log(Log::Level level, std::string text) { out_->push_back(Log{level, std::move(text)}); }

void Pair::Machine::stop(bool abort, Code code, std::string text) {
  change_role(Role::stopped, text);
  stopped_ = true;
  out_->push_back(Stop{abort, Error{code, std::move(text)}});
}

void Pair::Machine::change_role(Role to, std::string reason) {
  const Role from = role_;
  if (from == to && to != Role::starting) return;
  if (to == Role::primary || to == Role::leading) POLLUX_CHECK(config_.primary == options_.me);
  role_ = to;
  reason_ = reason;
  role_since_ = now_.wall;
  out_->push_back(RoleChanged{from, to, config_.epoch, std::move(reason)});
}

void Pair::Machine::on(Forced&& event) {
  POLLUX_CHECK(force_under_way_);
  POLLUX_CHECK(event.upto.lsn == forcing_);
  force_under_way_ = false;
  durable_ = event.upto;
  // The primary answers checkpoints and catch-up by what is on the disk, never before.
  acknowledge_checkpoints();
}

void Pair::Machine::on(Applied&& event) {
  if (event.upto <= applied_) return;
  applied_ = event.upto;
  while (!unapplied_.empty() && unapplied_.front().first <= applied_) {
    applied_bytes_ = unapplied_.front().second;
    unapplied_.pop_front();
  }
  if (incomplete_ && applied_ >= incomplete_until_ && incomplete_until_.value > 0) {
    incomplete_ = false;
    log(Log::Level::info, "the snapshot is complete");
  }
}

void Pair::Machine::on(StorageFailed&& event) {
  // Never retried as if nothing had happened (I11): the peer has what was acknowledged.
  stop(false, event.error.code, "this member stops because its storage failed: " + event.error.text);
}

void Pair::Machine::on(DiskPressure&& event) {
  const bool full = event.full || event.exhausted;
  if (full == disk_full_ && event.exhausted == disk_exhausted_) return;
  disk_full_ = full;
  disk_exhausted_ = event.exhausted;
  if (disk_exhausted_) {
    return log(Log::Level::error, "the disk is full: nothing is executed until there is room, deletions included");
  }
  log(disk_full_ ? Log::Level::error : Log::Level::info,
      disk_full_ ? "the disk is nearly full: only what frees space is executed until there is room"
                 : "there is room on the disk again");
}

}  // namespace pollux
