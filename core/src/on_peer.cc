// Who the peer is, whether it is there, and which configuration it knows.
#include <algorithm>

#include "machine.h"

namespace pollux {

void Pair::Machine::on(PeerSaid&& event) {
  const Envelope& from = event.message.envelope;
  if (!know_sender(from, event.message.body)) return;
  std::visit([&](auto&& body) { on_peer(from, std::forward<decltype(body)>(body)); }, std::move(event.message.body));
}

bool Pair::Machine::know_sender(const Envelope& from, const PeerBody& body) {
  // Ignore: other clusters, other pairs, ourselves, runs known to be over.
  if (from.cluster != options_.cluster || from.pair != options_.pair) {
    if (told_once_.insert("stranger " + to_string(from.cluster) + from.pair).second) {
      log(Log::Level::error, "a member of another cluster or pair ('" + from.pair + "' of " + to_string(from.cluster) +
                                 ") talks to this one: check the endpoints in its configuration");
    }
    return false;
  }
  if (from.from.incarnation == options_.me.incarnation) {
    if (from.from.run != options_.me.run && told_once_.insert("twin " + to_string(from.from.run)).second) {
      log(Log::Level::error, "another process uses a copy of this member's files: stop it and give it a directory of its own");
    }
    return false;
  }
  if (from.generation != config_.generation && config_.epoch.value > 0 && from.epoch.value > 0) {
    if (told_once_.insert("generation " + std::to_string(from.generation.value)).second) {
      log(Log::Level::error, "the peer belongs to another generation of this pair: one of the two was restored");
    }
    return false;
  }
  if (!peer_ || *peer_ != from.from) {
    // Late messages of a run that is over may come after the first of the next one. What knows less is the
    // older run; and one thought over that goes on speaking while its successor is silent is the living one.
    const bool successor_speaks = peer_ && !peer_dead_ && steady() - peer_heard_ < options_.takeover_after;
    if (successor_speaks && (from.epoch < peer_epoch_ || peer_past_runs_.contains(from.from.run))) return false;
    peer_started(from.from);
  }
  peer_epoch_ = std::max(peer_epoch_, from.epoch);
  peer_heard_ = steady();
  peer_ever_heard_ = true;

  if (from.epoch < config_.epoch) {
    // An older epoch is refused with the newer one. A greeting is answered by it, but also heard.
    const bool greeting = std::holds_alternative<PeerHello>(body);
    if (steady() - news_sent_ >= options_.heartbeat / 4 || !greeting) {
      news_sent_ = steady();
      send(ConfigurationNews{config_});
    }
    return greeting;
  }
  if (from.epoch > config_.epoch) {
    // It knows a newer configuration. Some messages tell it; for the others, ask.
    const bool tells = std::holds_alternative<Heartbeat>(body) || std::holds_alternative<ConfigurationNews>(body) ||
                       std::holds_alternative<PeerHello>(body);
    if (!tells && steady() - hello_sent_ >= options_.heartbeat / 4) {
      hello_sent_ = steady();
      send(PeerHello{options_.boot, durable_, applied_, role_ == Role::catching_up, config_, options_.death_sign});
    }
    return tells;
  }
  return true;
}

void Pair::Machine::peer_started(const MemberId& id) {
  if (peer_) {
    // Its former run is over: one incarnation never runs twice (I12), and a wiped one is nobody.
    constexpr std::size_t runs_remembered = 64;
    if (peer_past_runs_.size() >= runs_remembered) peer_past_runs_.erase(peer_past_runs_.begin());
    peer_past_runs_.insert(peer_->run);
  }
  peer_past_runs_.erase(id.run);
  peer_ = id;
  peer_epoch_ = {};
  peer_dead_ = false;
  peer_boot_ = {};
  peer_death_sign_.clear();
  peer_durable_ = {};
  peer_applied_ = {};
}

void Pair::Machine::peer_is_there(const BootId& boot, const std::string& death_sign) {
  if (peer_boot_ == boot && peer_death_sign_ == death_sign) return;
  peer_boot_ = boot;
  peer_death_sign_ = death_sign;
  out_->push_back(WatchPeer{peer_->run, boot, death_sign});
}

void Pair::Machine::on_peer(const Envelope& from, PeerHello&& message) {
  peer_is_there(message.boot, message.death_sign);
  peer_durable_ = message.durable;
  peer_applied_ = message.applied;
  learn(message.configuration, "the peer knows a newer configuration");
  static_cast<void>(from);
  if (leads_or_serves() && steady() - beat_sent_ >= options_.heartbeat / 4) beat();
}

void Pair::Machine::beat() {
  constexpr std::size_t beats_remembered = 64;
  beats_.push_back(Beat{++beat_number_, steady()});
  if (beats_.size() > beats_remembered) beats_.pop_front();
  beat_sent_ = steady();
  send(Heartbeat{beat_number_, options_.boot, config_, committed_, options_.death_sign});
}

void Pair::Machine::on_peer(const Envelope& from, Heartbeat&& message) {
  peer_is_there(message.boot, message.death_sign);
  learn(message.configuration, "the primary knows a newer configuration");
  if (newer_ || !from_primary(from)) return;
  primary_heard_ = steady();
  primary_heard_ever_ = true;
  if (role_ == Role::waiting || role_ == Role::starting) {
    change_role(Role::catching_up, "the primary is there");
    start_catch_up();
  }
  learn_committed(message.committed);
  // From here on a primary may count on a lease until grace is over: not while this member is taking over.
  if (role_ != Role::backup || proposal_) return;
  acknowledged_run_ = from.from.run;
  grace_over_ = steady() + options_.grace;
  send(HeartbeatAck{message.number, options_.boot, durable_, applied_, options_.death_sign});
}

void Pair::Machine::on_peer(const Envelope& from, HeartbeatAck&& message) {
  if (!leads_or_serves() || newer_ || !from_second(from) || from.epoch != config_.epoch) return;
  peer_is_there(message.boot, message.death_sign);
  peer_durable_ = message.durable;
  peer_applied_ = message.applied;
  beat_acked_ = steady();
  const auto beat = std::find_if(beats_.begin(), beats_.end(), [&](const Beat& b) { return b.number == message.number; });
  if (beat == beats_.end()) return;
  // The lease runs from the sending of the heartbeat, less 1 % for clocks that drift.
  const Instant until = beat->sent + options_.lease - options_.lease / 100;
  if (!joining_ && !handing_) lease_until_ = std::max(lease_until_, until);
  beats_.erase(beats_.begin(), beat + 1);
}

void Pair::Machine::on_peer(const Envelope& from, ConfigurationNews&& message) {
  learn(message.configuration, "the peer told of a newer configuration");
  // The backup says that it stands in this epoch now. A question that came before it did, it did not hear.
  const bool asked = role_ == Role::primary && !newer_ && from_second(from) && !reads_in_round_.empty();
  if (!asked) return;
  confirm_sent_ = steady();
  send(Confirm{confirm_number_});
}

void Pair::Machine::on(DeathReported&& event) {
  // I8: about the run last acknowledged, of this boot, and never before this member acknowledged any.
  if (!peer_ || event.run != peer_->run || event.boot != peer_boot_) return;
  if (peer_dead_) return;
  peer_dead_ = true;
  if (role_ == Role::backup && acknowledged_run_ == event.run && config_.primary.run == event.run) {
    grace_over_ = steady();  // a dead process holds no lease
    consider_takeover();
  }
  if (leads_or_serves()) consider_left_behind();
}

}  // namespace pollux
