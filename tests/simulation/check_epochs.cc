#include "simulation/check_epochs.h"

#include "simulation/member.h"

namespace pollux::testing {

void EpochChecker::on_start(const Member& member) {
  Seen& seen = seen_[member.incarnation()];
  if (seen.restored == member.disk_restored) return;
  seen = {.restored = member.disk_restored, .acted_in = {}};
}

void EpochChecker::act(const Member& member, Epoch epoch, const char* what) {
  if (epoch > member.disk.state.configuration.epoch) {
    throw Violation("I10: " + std::string(member.name()) + " " + what + " epoch " + std::to_string(epoch.value) +
                    " before that is on its disk");
  }
  Epoch& acted_in = seen_[member.incarnation()].acted_in;
  if (epoch < acted_in) {
    throw Violation("I10: " + std::string(member.name()) + " " + what + " epoch " + std::to_string(epoch.value) +
                    " after epoch " + std::to_string(acted_in.value));
  }
  acted_in = epoch;
}

void EpochChecker::on_actions(const Member& member, const PairStatus& /*before*/, const PairStatus& /*after*/,
                              std::span<const Action> actions) {
  for (const Action& action : actions) {
    if (const auto* send = std::get_if<SendPeer>(&action)) {
      const Envelope& envelope = send->message.envelope;
      if (envelope.from != member.id()) throw Violation("I10: a message that does not name its sender");
      act(member, envelope.epoch, "sends a message of");
    } else if (const auto* propose = std::get_if<ProposeWitness>(&action)) {
      if (propose->next.epoch.value == 0) throw Violation("a proposal of epoch 0");
      act(member, propose->next.epoch.prev(), "proposes the end of");
    } else if (const auto* query = std::get_if<RunQuery>(&action)) {
      act(member, query->epoch, "reads in");
    }
  }
}

void EpochChecker::on_record(const Member& member, const RecordPtr& record, const Hash& /*previous*/) {
  if (record->record.epoch > member.disk.state.configuration.epoch) {
    throw Violation("I10: a record of epoch " + std::to_string(record->record.epoch.value) +
                    " is made before that is on the disk of " + member.name());
  }
}

}  // namespace pollux::testing
