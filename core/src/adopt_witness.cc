// Adopting a witness that changed or went back in time (I13), by an operator's order.
//
// Such a witness may know less than the pair: it is given what the pair knows, and only then accepted. What
// the pair knows is what both members know. So the ordered member first asks the other one for a pledge: that
// it has persisted no newer configuration (members of different epochs don't hear each other, but tell each
// other the newer one), and that it acts on no answer that it may still get from the witness as it was: a
// `lead` won there would be unknown to the witness as it is now, and there could be two primaries.
// Configuration and epoch stay what they are; the next change of roles is a compare-and-swap as ever.
//
// The witness's floor was lost with it. What the epoch's primary has committed is the new one, or what its
// backup has acknowledged, if one of them still is what it was. Else it is the end of the longer trail of the
// two: either may have lost its end since (an older copy of its files), and the other then holds what was
// acknowledged.
#include <algorithm>

#include "machine.h"

namespace pollux {

void Pair::Machine::on(WitnessAdoptOrdered&& event) {
  const auto refuse = [&](std::string why) {
    out_->push_back(OrderAnswered{event.ticket, Code::conflict, std::move(why)});
  };
  if (adoption_) return refuse("the witness is being adopted already, by an earlier order");
  if (!witness_refused_ || !refused_view_) return refuse("no witness was refused: there is nothing to adopt");
  adoption_ = Adoption{};
  adoption_->order = event.ticket;
  adoption_->since = steady();
  drive_adoption();
}

void Pair::Machine::drive_adoption() {
  if (adoptable_ && !adoption_ && steady() - adoptable_since_ >= 2 * options_.adopt_limit) adoptable_.reset();
  if (!adoption_ || !refused_view_) return;
  if (steady() - adoption_->since >= options_.adopt_limit) {
    return end_adoption(
        Code::conflict,
        adoption_->pledged
            ? "the witness could not be given what this pair knows: see this member's log, and order again"
            : "the pair's other member does not answer, and it may know a newer configuration: start it "
              "(with an empty directory if its files are lost), and order again");
  }
  if (newer_) return;
  const Configuration& stands = refused_view_->configuration;
  if (stands.epoch.value > 0 && stands.cluster != options_.cluster) {
    return end_adoption(Code::conflict,
                        "this witness belongs to another cluster: give the pair a directory of its own");
  }
  if (stands.epoch == config_.epoch &&
      (stands.primary != config_.primary || stands.backup != config_.backup)) {
    return end_adoption(Code::conflict,
                        "this witness tells another history: it names other members for epoch " +
                            std::to_string(stands.epoch.value) + "; restore a newer copy");
  }
  if (adoption_->witness != refused_view_->witness) {
    adoption_->witness = refused_view_->witness;
    adoption_->number = next_ticket_++;
    adoption_->pledged = false;
    adoption_->asked = {};
    forget_witness_answers();
  }
  if (!adoption_->pledged) {
    if (steady() - adoption_->asked < options_.heartbeat) return;
    adoption_->asked = steady();
    return send(AdoptAsk{adoption_->number, adoption_->witness});
  }
  // From here on the witness is accepted as soon as it is seen to know enough.
  if (stands.epoch >= config_.epoch || adoption_->ticket != 0) return;
  if (steady() - adoption_->proposed < options_.witness_retry) return;
  adoption_->proposed = steady();
  adoption_->ticket = next_ticket_++;
  Configuration next = config_;
  if (adoption_->floor.lsn > next.floor.lsn) next.floor = adoption_->floor;
  out_->push_back(AdoptWitness{adoption_->ticket, *refused_view_, std::move(next)});
}

void Pair::Machine::on_peer(const Envelope& from, AdoptAsk&& message) {
  static_cast<void>(from);
  // A configuration that is being persisted is told first: the asking member then learns it.
  if (newer_ || message.witness.none()) return;
  forget_witness_answers();
  adoptable_ = message.witness;
  adoptable_since_ = steady();
  const Held mine = may_hold();
  send(AdoptPledge{message.number, mine.upto, mine.exact});
}

Pair::Machine::Held Pair::Machine::may_hold() const {
  Held held;
  held.exact = role_ == Role::primary || (role_ == Role::backup && acknowledged_run_ == config_.primary.run);
  // Who is not named may hold records that nobody else has.
  held.upto = role_ != Role::primary && named_by_incarnation() ? durable_ : committed_;
  if (held.upto.hash == Hash{}) held = {};
  return held;
}

void Pair::Machine::on_peer(const Envelope& from, AdoptPledge&& message) {
  static_cast<void>(from);
  if (!adoption_ || adoption_->pledged || newer_ || message.number != adoption_->number) return;
  adoption_->pledged = true;
  const Held mine = may_hold();
  const auto [less, more] = std::minmax(mine.upto, message.holds,
                                        [](const Position& a, const Position& b) { return a.lsn < b.lsn; });
  if (mine.exact == message.exact) {
    adoption_->floor = mine.exact ? less : more;
  } else {
    adoption_->floor = mine.exact ? mine.upto : message.holds;
  }
  adoptable_ = adoption_->witness;
  adoptable_since_ = steady();
  drive_adoption();
}

void Pair::Machine::end_adoption(Code code, std::string text) {
  POLLUX_CHECK(adoption_.has_value());
  out_->push_back(OrderAnswered{adoption_->order, code, std::move(text)});
  adoption_.reset();
}

void Pair::Machine::forget_witness_answers() {
  witness_heard_from_ = next_ticket_;
  read_ticket_ = 0;
  if (proposal_) proposal_->in_doubt = true;
}

}  // namespace pollux
