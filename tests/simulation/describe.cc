#include "simulation/describe.h"

#include <array>
#include <map>

#include "simulation/member.h"

namespace pollux::testing {
namespace {

std::map<std::string, std::string>* names = nullptr;

template <class Id>
std::string name_of(const Id& id) {
  if (id.none()) return "-";
  if (names != nullptr) {
    const auto found = names->find(to_string(id));
    if (found != names->end()) return found->second;
  }
  return short_name(id);
}

std::string name_of(const MemberId& id) { return name_of(id.run); }
std::string name_of(const SyncId& id) { return name_of(id.session) + "/" + std::to_string(id.seq); }
std::string number(std::uint64_t value) { return std::to_string(value); }

std::string records_text(const std::vector<RecordPtr>& records) {
  if (records.empty()) return "no records";
  const auto first = records.front()->record.lsn.value;
  const auto last = records.back()->record.lsn.value;
  return first == last ? "record " + number(first) : "records " + number(first) + "-" + number(last);
}

std::string_view text_of(WitnessSaid::Outcome outcome) {
  using Outcome = WitnessSaid::Outcome;
  switch (outcome) {
    case Outcome::read: return "read";
    case Outcome::won: return "won";
    case Outcome::lost: return "lost";
    case Outcome::in_doubt: return "in doubt";
  }
  return "?";
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace

NameScope::NameScope() { names = new std::map<std::string, std::string>; }
NameScope::~NameScope() {
  delete names;
  names = nullptr;
}
void NameScope::name(const RunId& run, std::string text) {
  if (names != nullptr) (*names)[to_string(run)] = std::move(text);
}
void NameScope::name(const IncarnationId& incarnation, std::string text) {
  if (names != nullptr) (*names)[to_string(incarnation)] = std::move(text);
}
void NameScope::name(const SessionId& session, std::string text) {
  if (names != nullptr) (*names)[to_string(session)] = std::move(text);
}

std::string describe(const Position& position) {
  std::string text = number(position.lsn.value);
  if (names == nullptr && position.lsn.value != 0) text += ":" + to_hex(position.hash.bytes.data(), 3);
  return text;
}

std::string describe(const Configuration& configuration) {
  if (configuration.epoch.value == 0) return "epoch 0";
  return "epoch " + number(configuration.epoch.value) + " (" + name_of(configuration.primary) + ", " +
         (configuration.backup ? name_of(*configuration.backup) : "none") + ") floor " +
         number(configuration.floor.lsn.value);
}

std::string describe(const RecordView& record) {
  static constexpr std::array<const char*, 6> kinds{"?",      "request",   "session opened", "session closed",
                                                    "tombstone", "leads"};
  std::string text = "record " + number(record.lsn.value) + " " + kinds.at(static_cast<std::size_t>(record.kind));
  if (record.kind != RecordKind::leads) text += " " + name_of(record.sync);
  if (record.code != Code::ok) text += " " + std::string(to_string(record.code));
  return text + " epoch " + number(record.epoch.value);
}

std::string describe(const PeerBody& body) {
  return std::visit(
      Overloaded{
          [](const PeerHello& m) {
            return "hello durable " + describe(m.durable) + (m.catching_up ? " catching up" : "");
          },
          [](const Heartbeat& m) {
            return "heartbeat " + number(m.number) + " committed " + describe(m.committed);
          },
          [](const HeartbeatAck& m) { return "heartbeat ack " + number(m.number) + " durable " + describe(m.durable); },
          [](const Checkpoint& m) {
            return "checkpoint after " + describe(m.previous) + ": " + records_text(m.records) + ", committed " +
                   describe(m.committed);
          },
          [](const CheckpointAck& m) {
            return "checkpoint ack durable " + describe(m.durable) +
                   (m.resend_after ? " resend after " + describe(*m.resend_after) : "");
          },
          [](const Confirm& m) { return "confirm " + number(m.number); },
          [](const ConfirmAck& m) { return "confirm ack " + number(m.number); },
          [](const HashAsk& m) { return "hash ask, " + number(m.lsns.size()) + " LSNs"; },
          [](const HashTell& m) { return "hash tell, " + number(m.known.size()) + " known"; },
          [](const TailAsk& m) { return "tail ask after " + describe(m.after) + (m.may_join ? "" : ", not to join"); },
          [](const Tail& m) {
            return "tail after " + describe(m.previous) + ": " + records_text(m.records) + ", last " +
                   describe(m.last) + (m.gone ? ", gone" : "");
          },
          [](const SnapshotAsk& m) { return std::string("snapshot ask") + (m.cursor.empty() ? "" : ", going on"); },
          [](const SnapshotTell& m) {
            return "snapshot tell, " + number(m.rows.size()) + " rows, tag " + describe(m.tag) +
                   (m.next.empty() ? ", the last" : "");
          },
          [](const RecordAsk& m) { return "record ask " + number(m.lsn.value); },
          [](const RecordTell& m) {
            return "record tell " + number(m.lsn.value) + (m.record ? "" : ", not available");
          },
          [](const ConfigurationNews& m) { return "configuration news: " + describe(m.configuration); },
          [](const AdoptAsk&) { return std::string("adopt ask"); },
          [](const AdoptPledge& m) {
            return "adopt pledge, holds " + describe(m.holds) + (m.exact ? ", not more" : "");
          },
      },
      body);
}

std::string describe(const RequesterMessage& message) {
  const std::string head = "#" + number(message.number) + " ";
  return head + std::visit(Overloaded{
                               [](const OpenSession&) { return std::string("open session"); },
                               [](const CloseSession& m) { return "close session " + name_of(m.session); },
                               [](const Request& m) {
                                 return "request " + name_of(m.sync) + " \"" + m.payload.substr(0, 24) + "\"";
                               },
                               [](const Query& m) { return "query \"" + m.payload + "\""; },
                               [](const OutcomeAsk& m) { return "outcome of " + name_of(m.sync) + "?"; },
                               [](const RequesterHello&) { return std::string("hello"); },
                           },
                           message.body);
}

std::string describe(const RequesterReply& reply) {
  std::string text = reply.number == 0 ? "news" : "#" + number(reply.number);
  text += " " + std::string(to_string(reply.code));
  if (!reply.payload.empty()) text += " \"" + reply.payload.substr(0, 60) + "\"";
  if (reply.lsn.value != 0) text += " of record " + number(reply.lsn.value);
  if (reply.number == 0) {
    text += " epoch " + number(reply.epoch.value);
    if (reply.primary) text += " primary " + name_of(*reply.primary);
    if (reply.serving) text += " serves";
  }
  return text;
}

std::string describe(const Event& event) {
  return std::visit(
      Overloaded{
          [](const Recovered& e) {
            return "Recovered " + describe(e.state.configuration) + ", trail " + describe(e.trail_base) + " to " +
                   describe(e.trail_last) + ", applied " + number(e.applied.value) +
                   (e.incomplete ? ", incomplete" : "") +
                   (e.quarantined.empty() ? "" : ", " + number(e.quarantined.size()) + " quarantined");
          },
          [](const Tick&) { return std::string("Tick"); },
          [](const PeerSaid& e) {
            return "PeerSaid [" + name_of(e.message.envelope.from) + " epoch " +
                   number(e.message.envelope.epoch.value) + "] " + describe(e.message.body);
          },
          [](const RequesterSaid& e) {
            return "RequesterSaid " + number(e.route.value) + ": " + describe(e.message);
          },
          [](const WitnessSaid& e) {
            return "WitnessSaid " + std::string(text_of(e.outcome)) +
                   (e.view ? " " + describe(e.view->configuration) + " revision " + number(e.view->revision) : "");
          },
          [](const Executed& e) {
            std::string text = "Executed";
            for (const RecordPtr& record : e.records) text += " " + describe(record->record);
            return text;
          },
          [](const Forced& e) { return "Forced " + describe(e.upto); },
          [](const Persisted&) { return std::string("Persisted"); },
          [](const Applied& e) { return "Applied " + number(e.upto.value); },
          [](const HashesRead& e) { return "HashesRead " + number(e.known.size()); },
          [](const TailRead& e) { return "TailRead " + records_text(e.records) + (e.gone ? ", gone" : ""); },
          [](const SnapshotRead& e) { return "SnapshotRead " + number(e.chunk.rows.size()) + (e.failed ? " failed" : ""); },
          [](const TrailCut& e) {
            return "TrailCut last " + describe(e.last) + " applied " + number(e.applied.value);
          },
          [](const SnapshotInstalled& e) {
            return std::string("SnapshotInstalled") +
                   (e.rows_complete ? " complete, first tag " + describe(e.first_tag) : "");
          },
          [](const TrailReset& e) { return "TrailReset base " + describe(e.base); },
          [](const RecordRepaired& e) { return "RecordRepaired " + number(e.lsn.value) + (e.ok ? "" : " failed"); },
          [](const StorageFailed& e) { return "StorageFailed " + e.error.text; },
          [](const DamageFound& e) { return "DamageFound " + number(e.lsn.value); },
          [](const DiskPressure& e) { return std::string("DiskPressure ") + (e.exhausted ? "exhausted" : e.full ? "full" : "over"); },
          [](const DeathReported& e) { return "DeathReported " + name_of(e.run); },
          [](const SwitchOrdered&) { return std::string("SwitchOrdered"); },
          [](const TakeoverOrdered&) { return std::string("TakeoverOrdered"); },
          [](const WitnessAdoptOrdered&) { return std::string("WitnessAdoptOrdered"); },
          [](const StopOrdered&) { return std::string("StopOrdered"); },
      },
      event);
}

std::string describe(const Action& action) {
  return std::visit(
      Overloaded{
          [](const SendPeer& a) {
            return "SendPeer [epoch " + number(a.message.envelope.epoch.value) + "] " + describe(a.message.body);
          },
          [](const SendReply& a) { return "SendReply " + number(a.route.value) + ": " + describe(a.reply); },
          [](const AnnounceRequesters& a) { return "AnnounceRequesters " + describe(a.news); },
          [](const Execute& a) {
            std::string text = "Execute";
            for (const auto& item : a.items) {
              text += " " + number(item.lsn.value);
              if (item.kind != RecordKind::leads) text += "=" + name_of(item.sync);
              if (item.verdict) text += "(" + std::string(to_string(*item.verdict)) + ")";
            }
            return text;
          },
          [](const ResetExecutor& a) { return "ResetExecutor last " + describe(a.last); },
          [](const Force& a) { return "Force " + records_text(a.records); },
          [](const AddToOverlay& a) { return "AddToOverlay " + describe(a.record->record); },
          [](const Commit& a) { return "Commit " + describe(a.upto); },
          [](const TellReaders& a) {
            return "TellReaders epoch " + number(a.epoch.value) + " committed " + number(a.committed.value);
          },
          [](const Persist& a) { return "Persist " + describe(a.state.configuration); },
          [](const RunQuery& a) { return "RunQuery \"" + a.payload + "\""; },
          [](const ReadWitness&) { return std::string("ReadWitness"); },
          [](const ProposeWitness& a) { return "ProposeWitness " + describe(a.next); },
          [](const AdoptWitness& a) {
            return "AdoptWitness " + describe(a.next) + " over epoch " + number(a.refused.configuration.epoch.value);
          },
          [](const RaiseFloor& a) { return "RaiseFloor " + describe(a.configuration.floor); },
          [](const ReadHashes& a) { return "ReadHashes " + number(a.lsns.size()); },
          [](const ReadTail& a) { return "ReadTail after " + number(a.after.value); },
          [](const ReadSnapshot& a) { return std::string("ReadSnapshot") + (a.cursor.empty() ? "" : ", going on"); },
          [](const CutTrail& a) { return "CutTrail to " + describe(a.to); },
          [](const InstallSnapshot& a) {
            return std::string("InstallSnapshot") + (a.begin ? " begin" : "") + " tag " + describe(a.chunk.tag);
          },
          [](const ResetTrail& a) { return "ResetTrail base " + describe(a.base); },
          [](const RepairRecord& a) { return "RepairRecord " + number(a.record->record.lsn.value); },
          [](const RoleChanged& a) {
            return "RoleChanged " + std::string(to_string(a.from)) + " -> " + std::string(to_string(a.to)) + " epoch " +
                   number(a.epoch.value) + ": " + a.reason;
          },
          [](const Log& a) { return "Log " + a.text; },
          [](const OrderAnswered& a) {
            return "OrderAnswered " + std::string(to_string(a.code)) + (a.text.empty() ? "" : ": " + a.text);
          },
          [](const WatchPeer& a) { return "WatchPeer " + name_of(a.run); },
          [](const Stop& a) { return std::string(a.abort ? "Stop (abort) " : "Stop ") + a.reason.text; },
      },
      action);
}

std::string describe(const Member& member) {
  const PairStatus status = member.status();
  std::string text = std::string(member.name()) + " " + name_of(member.run()) + " " + std::string(to_string(status.role));
  if (member.paused()) text += " paused";
  if (!member.up()) return text + ", trail to " + describe(member.disk.trail.last());
  if (status.serving) text += " serves";
  if (status.solo) text += " solo";
  if (status.joining) text += " joining";
  if (status.witness_refused) text += " witness refused";
  text += " " + describe(status.configuration) + " executed " + describe(status.executed) + " durable " +
          describe(status.durable) + " committed " + describe(status.committed) + " applied " +
          number(status.applied.value) + " trail to " + describe(member.disk.trail.last()) + " tables " +
          describe(member.disk.tables.applied) + (member.disk.tables.incomplete ? " incomplete" : "") +
          (member.disk.trail.damaged() ? " damaged" : "");
  text += " queued " + number(status.queued) + " executing " + number(status.executing) + " reads " +
          number(status.reads_waiting);
  if (!status.waiting_for.empty()) text += " waiting for " + status.waiting_for;
  return text + " (" + status.reason + ")";
}

std::string describe(const Operation& operation) {
  std::string text = "requester " + number(operation.requester) + " " + (operation.query ? "query " : "") +
                     std::string(to_string(operation.request.verb)) + " k" + number(operation.request.key);
  if (operation.request.verb == Verb::cas) text += " " + number(operation.request.expected);
  if (!operation.query) text += " " + number(operation.request.value) + " as " + name_of(operation.sync);
  text += " [" + number(operation.invoked) + ", " +
          (operation.returned == 0 ? "-" : number(operation.returned)) + "]";
  if (operation.returned == 0 || !operation.known) return text + " unknown";
  text += " " + std::string(to_string(operation.code)) + " \"" + operation.reply + "\"";
  if (operation.lsn.value != 0) text += " record " + number(operation.lsn.value);
  return text;
}

}  // namespace pollux::testing
