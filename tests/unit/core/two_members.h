// Two members of a pair and a witness in one thread, with a world that does everything at once and in order.
// For tests that tell one story; the simulator (tests/simulation) is for all the others.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pollux/core/pair.h"
#include "pollux/proto/record_codec.h"

namespace pollux::testing {

template <class Id>
Id make_id(std::uint8_t first) {
  Id id;
  id.bytes.fill(first);
  return id;
}

/// What lies on a member's disk: it outlives the process.
struct Disk {
  MemberState state;
  std::vector<RecordPtr> trail;
  std::size_t applied = 0;  ///< records in the tables
  std::vector<SyncId> executing;
  std::vector<RecordPtr> aside;
};

class TwoMembers {
 public:
  struct Member {
    std::string name;
    Disk disk;
    std::unique_ptr<Pair> pair;
    PairOptions options;
    std::deque<Event> inbox;
    Position executed;           ///< the executor's
    bool paused = false;
    bool reads_answer = true;    ///< of hashes
    bool disk_answers = true;    ///< false: forces hang
    bool executor_answers = true;
    bool executor_gathers = false;  ///< true: core hears of what was executed when tell_executed is called
    std::vector<RecordPtr> done;
    std::size_t forces = 0;
    bool state_is_slow = false;  ///< true: what is to be persisted is there only after `finish_persisting`
    std::deque<Event> unfinished;
    std::vector<PeerMessage> said;        ///< to the other one, arrived or not
    std::vector<ReadHashes> hashes_read;
    std::vector<std::string> log;
    std::vector<RoleChanged> roles;
    TellReaders told;
    std::optional<Stop> stopped;
    std::uint8_t runs = 0;
  };

  TwoMembers() {
    for (std::size_t i = 0; i < 2; ++i) {
      members[i].name = i == 0 ? "a" : "b";
      members[i].disk.state.incarnation = make_id<IncarnationId>(static_cast<std::uint8_t>(0xa0 + i));
    }
  }

  void start(std::size_t i) {
    Member& m = members[i];
    m.options.cluster = make_id<ClusterId>(1);
    m.options.pair = "test";
    m.options.me = {m.disk.state.incarnation, make_id<RunId>(static_cast<std::uint8_t>(0x10 * (i + 1) + ++m.runs))};
    m.options.boot = make_id<BootId>(9);
    m.options.may_found = i == 0;
    m.pair = std::make_unique<Pair>(m.options);
    m.inbox.clear();
    m.unfinished.clear();
    m.stopped.reset();
    Recovered recovered;
    recovered.state = m.disk.state;
    recovered.applied = Lsn{m.disk.applied};
    for (std::size_t lsn = 0; lsn < m.disk.trail.size(); ++lsn) {
      const RecordPtr& record = m.disk.trail[lsn];
      if (lsn < m.disk.applied) recovered.sessions.apply(record->record);
      if (lsn >= m.disk.applied) recovered.unapplied.push_back(record);
      recovered.trail_last = record->position();
    }
    recovered.quarantined = m.disk.executing;
    m.executed = recovered.trail_last;
    m.inbox.push_back(std::move(recovered));
    run();
  }

  void finish_persisting(std::size_t i) {
    Member& m = members[i];
    m.inbox.insert(m.inbox.end(), m.unfinished.begin(), m.unfinished.end());
    m.unfinished.clear();
    run();
  }

  void kill(std::size_t i) {
    members[i].pair.reset();
    members[i].inbox.clear();
  }
  void report_death(std::size_t of) {
    members[1 - of].inbox.push_back(DeathReported{members[of].options.me.run, members[of].options.boot});
    run();
  }

  /// Lets time pass, with ticks every 10 ms.
  void pass(Duration time) {
    const Instant until = now + time;
    while (now < until) {
      now += std::chrono::milliseconds(10);
      for (Member& m : members) {
        if (m.pair && !m.paused) m.inbox.push_back(Tick{});
      }
      run();
    }
  }
  /// A member stands still for so long (SIGSTOP); what was said to it meanwhile it hears after its first tick.
  void pause(std::size_t i, Duration time) {
    members[i].paused = true;
    pass(time);
    members[i].paused = false;
    if (members[i].pair) members[i].inbox.push_front(Tick{});
    run();
  }

  /// Both started, one primary, the other its backup in sync.
  void form() {
    start(0);
    start(1);
    pass(std::chrono::seconds(2));
  }

  std::uint64_t say(std::size_t to, RequesterBody body) {
    RequesterMessage message{make_id<ClusterId>(1), "test", ++number, std::move(body)};
    members[to].inbox.push_back(RequesterSaid{Route{7}, std::move(message)});
    run();
    return number;
  }
  SessionId open_session(std::size_t at, std::uint8_t id = 0x55) {
    say(at, OpenSession{make_id<SessionId>(id)});
    return make_id<SessionId>(id);
  }
  std::uint64_t request(std::size_t to, SessionId session, std::uint64_t seq, std::string payload = "x") {
    return say(to, Request{{session, seq}, 0, 0, {}, std::move(payload)});
  }

  /// As if the other one had said it just now.
  void hear(std::size_t at, PeerMessage message) {
    members[at].inbox.push_back(PeerSaid{std::move(message)});
    run();
  }
  template <class Body>
  [[nodiscard]] std::size_t count_said(std::size_t by) const {
    return static_cast<std::size_t>(std::count_if(members[by].said.begin(), members[by].said.end(), [](const PeerMessage& m) {
      return std::holds_alternative<Body>(m.body);
    }));
  }

  [[nodiscard]] PairStatus status(std::size_t i) const { return members[i].pair->status(); }
  [[nodiscard]] std::optional<std::size_t> primary() const {
    for (std::size_t i = 0; i < 2; ++i) {
      if (members[i].pair && status(i).serving) return i;
    }
    return std::nullopt;
  }

  /// What the executor has done and core has not heard of yet.
  static void tell_executed(Member& m) { m.inbox.push_back(Executed{std::exchange(m.done, {})}); }

  void run() {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < 2; ++i) {
        Member& m = members[i];
        while (m.pair && !m.paused && !m.inbox.empty()) {
          more = true;
          Event event = std::move(m.inbox.front());
          m.inbox.pop_front();
          Actions actions;
          m.pair->step(std::move(event), Now{now, WallTime{std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch() + wall_ahead).count()}}, actions);
          for (Action& action : actions) {
            std::visit([&](auto& order) { obey(i, m, order); }, action);
          }
          if (m.stopped) kill(i);
        }
      }
    }
  }

  std::array<Member, 2> members;
  Configuration witness;
  std::uint8_t witness_id = 3;
  bool witness_answers = true, network = true;
  std::function<bool(const PeerMessage&)> lets_through;  ///< none: everything
  Duration wall_ahead{};  ///< how wrong the members' wall clocks are
  Instant now = Instant{} + std::chrono::seconds(100);
  WallTime newest_time;
  std::uint64_t number = 0;
  std::map<std::uint64_t, RequesterReply> replies;
  std::vector<std::string> executed_payloads;

 private:
  void obey(std::size_t i, Member& m, SendPeer& order) {
    m.said.push_back(order.message);
    const bool arrives = network && members[1 - i].pair && (!lets_through || lets_through(order.message));
    if (arrives) members[1 - i].inbox.push_back(PeerSaid{std::move(order.message)});
  }
  void obey(std::size_t, Member&, SendReply& order) { replies[order.reply.number] = std::move(order.reply); }
  void obey(std::size_t, Member&, AnnounceRequesters&) {}
  void obey(std::size_t, Member& m, Execute& order) {
    for (Execute::Item& item : order.items) {
      if (!m.executor_answers) {
        m.disk.executing = {item.sync};
        return;
      }
      newest_time = std::max(newest_time, item.time_at_least);
      Record record{item.lsn, item.epoch, newest_time, item.kind, item.sync, item.ack_below, item.trace, {}, Code::ok, {}, {}};
      if (item.leads != nullptr) record.leads = *item.leads;
      if (item.verdict) {
        record.code = *item.verdict;
      } else if (item.kind == RecordKind::request) {
        record.changes.push_back({item.payload, "value"});
        record.reply = "done " + item.payload;
        executed_payloads.push_back(item.payload);
      }
      RecordPtr sealed = seal(std::move(record), m.executed.hash);
      m.executed = sealed->position();
      m.done.push_back(std::move(sealed));
      if (!m.executor_gathers) tell_executed(m);
    }
  }
  void obey(std::size_t, Member& m, ResetExecutor& order) {
    std::erase_if(m.inbox, [](const Event& event) { return std::holds_alternative<Executed>(event); });
    m.done.clear();
    m.executed = order.last;
  }
  void obey(std::size_t, Member& m, Force& order) {
    if (!m.disk_answers) return;
    ++m.forces;
    for (RecordPtr& record : order.records) m.disk.trail.push_back(std::move(record));
    m.inbox.push_back(Forced{m.disk.trail.back()->position()});
  }
  void obey(std::size_t, Member& m, AddToOverlay& order) { m.executed = order.record->position(); }
  void obey(std::size_t, Member& m, Commit& order) {
    m.disk.applied = order.upto.lsn.value;
    m.inbox.push_back(Applied{order.upto.lsn});
  }
  void obey(std::size_t, Member& m, TellReaders& order) { m.told = order; }
  void obey(std::size_t, Member& m, Persist& order) {
    m.disk.state = order.state;
    (m.state_is_slow ? m.unfinished : m.inbox).push_back(Persisted{order.ticket});
  }
  void obey(std::size_t i, Member& m, RunQuery& order) {
    RequesterReply reply;
    reply.number = order.number;
    reply.payload = "read at " + m.name + " " + std::to_string(status(i).committed.lsn.value);
    replies[order.number] = reply;
  }
  WitnessView view() { return {make_id<WitnessId>(witness_id), witness.epoch.value + 1, witness}; }
  void obey(std::size_t, Member& m, ReadWitness& order) {
    if (!witness_answers) return;
    m.inbox.push_back(WitnessSaid{order.ticket, WitnessSaid::Outcome::read, view(), ""});
  }
  void obey(std::size_t, Member& m, ProposeWitness& order) {
    if (!witness_answers) return;
    const bool again = witness == order.next;
    if (witness.epoch.next() == order.next.epoch) witness = order.next;
    const bool won = again || witness == order.next;
    m.inbox.push_back(WitnessSaid{order.ticket, won ? WitnessSaid::Outcome::won : WitnessSaid::Outcome::lost, view(), ""});
  }
  void obey(std::size_t, Member& m, AdoptWitness& order) {
    if (!witness_answers) return;
    const WitnessView seen = view();
    const bool wins = seen.witness == order.refused.witness && seen.revision == order.refused.revision;
    if (wins) witness = order.next;
    m.inbox.push_back(WitnessSaid{order.ticket, wins ? WitnessSaid::Outcome::won : WitnessSaid::Outcome::lost, view(), ""});
  }
  void obey(std::size_t, Member&, RaiseFloor& order) {
    if (order.configuration.epoch == witness.epoch) witness.floor = order.configuration.floor;
  }
  void obey(std::size_t, Member& m, ReadHashes& order) {
    m.hashes_read.push_back(order);
    if (!m.reads_answer) return;
    HashesRead read{order.ticket, {}};
    for (const Lsn lsn : order.lsns) {
      if (lsn.value == 0) read.known.push_back({});
      if (lsn.value > 0 && lsn.value <= m.disk.trail.size()) read.known.push_back(m.disk.trail[lsn.value - 1]->position());
    }
    m.inbox.push_back(std::move(read));
  }
  void obey(std::size_t, Member& m, ReadTail& order) {
    TailRead read{order.ticket, {}, false};
    for (std::size_t lsn = order.after.value; lsn < m.disk.trail.size() && read.records.size() < 100; ++lsn) {
      read.records.push_back(m.disk.trail[lsn]);
    }
    m.inbox.push_back(std::move(read));
  }
  void obey(std::size_t, Member& m, CutTrail& order) {
    TrailCut cut;
    while (m.disk.trail.size() > order.to.lsn.value) {
      m.disk.aside.push_back(m.disk.trail.back());
      m.disk.trail.pop_back();
    }
    cut.applied = Lsn{m.disk.applied};
    for (std::size_t lsn = 0; lsn < m.disk.trail.size(); ++lsn) {
      if (lsn < m.disk.applied) cut.sessions.apply(m.disk.trail[lsn]->record);
      if (lsn >= m.disk.applied) cut.unapplied.push_back(m.disk.trail[lsn]);
      cut.last = m.disk.trail[lsn]->position();
    }
    m.executed = cut.last;
    m.inbox.push_back(std::move(cut));
  }
  void obey(std::size_t, Member&, ReadSnapshot&) {}
  void obey(std::size_t, Member&, InstallSnapshot&) {}
  void obey(std::size_t, Member&, ResetTrail&) {}
  void obey(std::size_t, Member&, RepairRecord&) {}
  void obey(std::size_t, Member& m, RoleChanged& order) { m.roles.push_back(order); }
  void obey(std::size_t, Member& m, Log& order) { m.log.push_back(order.text); }
  void obey(std::size_t, Member&, OrderAnswered& order) { answers[order.ticket] = order; }
  void obey(std::size_t, Member&, WatchPeer&) {}
  void obey(std::size_t, Member& m, Stop& order) { m.stopped = order; }

 public:
  std::map<std::uint64_t, OrderAnswered> answers;
};

}  // namespace pollux::testing
