#include "scenario.h"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace pollux::testing {

using std::chrono::milliseconds;

Scenario::Scenario() : world_(calm_plan()) {
  world_.watch_with(this);
  world_.watch_with(&store_);
  world_.network().jitter = false;
  world_.supervisor().restarts = false;
  for (std::size_t i = 0; i < 2; ++i) {
    NameScope::name(world_.member(i).incarnation(), world_.member(i).name());
  }
}

Member& Scenario::member(const std::string& name) {
  if (name != "A" && name != "B") throw std::invalid_argument("no member '" + name + "'");
  return world_.member(name == "A" ? 0 : 1);
}

Duration Scenario::duration(const std::string& text) {
  std::int64_t ms = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (error != std::errc{} || std::string(rest) != "ms") throw std::invalid_argument("not a time: '" + text + "'");
  return milliseconds(ms);
}

std::string Scenario::play(const std::string& text) {
  std::istringstream lines(text);
  std::string played;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("> ")) {
      played += line + "\n" + command(line.substr(2));
    } else if (line.empty() || line.starts_with("#")) {
      played += line + "\n";
    }
  }
  return played;
}

std::string Scenario::command(const std::string& line) {
  said_.clear();
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  const std::string& verb = words.at(0);
  if (verb == "run") {
    run(duration(words.at(1)));
  } else if (verb == "start") {
    member(words.at(1)).start();
    run(milliseconds(1));
  } else if (verb == "found") {
    world_.member(0).start();
    world_.member(1).start();
    run(milliseconds(2000));
    for (std::size_t i = 0; i < world_.requesters(); ++i) world_.requester(i).open_session();
    run(milliseconds(200));
  } else if (verb == "call" || verb == "query" || verb == "ask" || verb == "target") {
    call(words);
  } else if (verb == "switch") {
    member(words.at(1)).tell(SwitchOrdered{++ticket_});
  } else if (verb == "takeover") {
    member(words.at(1)).tell(TakeoverOrdered{++ticket_});
  } else if (verb == "adopt") {
    member(words.at(1)).tell(WitnessAdoptOrdered{++ticket_});
  } else if (verb == "stop") {
    member(words.at(1)).tell(StopOrdered{.alone = words.size() > 2 && words[2] == "alone"});
  } else if (verb == "status") {
    show();
  } else if (verb == "messages") {
    messages_ = words.at(1) == "on";
  } else {
    fault(words);
  }
  return said_;
}

void Scenario::say(std::string text) {
  // Core's own texts name members by the beginning of their incarnation.
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string id = short_name(world_.member(i).incarnation());
    for (auto at = text.find(id); at != std::string::npos; at = text.find(id)) text.replace(at, id.size(), world_.member(i).name());
  }
  said_ += text + "\n";
}

void Scenario::call(const Words& words) {
  // call 0 put k1 ; query 0 get k1 ; ask 0 ; target 0 B
  std::uint32_t index = 0;
  std::from_chars(words.at(1).data(), words.at(1).data() + words.at(1).size(), index);
  Requester& requester = world_.requester(index);
  if (words[0] == "target") {
    requester.set_target(member(words.at(2)).index());
    return;
  }
  if (words[0] == "ask") {
    requester.ask(last_call_[index]);
    return;
  }
  std::string text = words.at(2) + " " + words.at(3);
  if (words.size() > 4) text += " " + words[4];
  const auto request = RegisterRequest::parse(text + " 0");
  if (!request) throw std::invalid_argument("not a request: '" + text + "'");
  last_call_[index] = requester.call(*request, words[0] == "query");
}

void Scenario::fault(const Words& words) {
  const std::string& verb = words.at(0);
  const auto rest = [&](std::size_t i) { return i < words.size() ? words[i] : std::string(); };
  if (verb == "kill") {
    world_.supervisor().reports = rest(2) != "unreported";
    member(words.at(1)).die(Death::killed);
  } else if (verb == "pause") {
    member(words.at(1)).pause();
  } else if (verb == "resume") {
    member(words.at(1)).resume();
  } else if (verb == "wipe") {
    member(words.at(1)).wipe();
    NameScope::name(member(words.at(1)).incarnation(), words[1] + "'");
  } else if (verb == "cut") {  // cut A B: nothing from A reaches B
    world_.network().cut.at(static_cast<std::size_t>(member(words.at(1)).index())) = true;
  } else if (verb == "isolate") {  // requesters don't reach it
    world_.network().isolated.at(static_cast<std::size_t>(member(words.at(1)).index())) = true;
  } else if (verb == "heal") {
    world_.network().cut = {};
    world_.network().isolated = {};
  } else if (verb == "witness") {
    const std::string& how = words.at(1);
    if (how == "copied") return world_.witness().remember();
    if (how == "restored" || how == "wiped") return world_.witness().go_back(how == "wiped");
    world_.witness().fault = how == "outage"         ? WitnessFault::outage
                             : how == "answers-lost" ? WitnessFault::answers_lost
                             : how == "replaced"     ? WitnessFault::other
                                                     : WitnessFault::none;
  } else if (verb == "disk") {  // disk A fails | full | hangs; disk A pressure full | exhausted | over
    using Fault = Member::ForceFault;
    const std::string& how = words.at(2);
    if (how == "pressure") {
      return member(words.at(1)).tell(DiskPressure{.full = rest(3) == "full", .exhausted = rest(3) == "exhausted"});
    }
    member(words.at(1)).next_force = how == "hangs" ? Fault::hang : how == "full" ? Fault::disk_full : Fault::io_error;
  } else {
    throw std::invalid_argument("no command '" + verb + "'");
  }
}

void Scenario::show() {
  for (std::size_t i = 0; i < 2; ++i) {
    const Member& member = world_.member(i);
    const PairStatus status = member.status();
    std::string text = std::string(member.name()) + ": " + std::string(to_string(status.role));
    if (!member.up()) {
      say(text + ", trail to LSN " + std::to_string(member.disk.trail.last().lsn.value));
      continue;
    }
    if (status.serving) text += status.solo ? ", serves solo" : ", serves";
    text += ", " + describe(status.configuration) + ", durable " + describe(status.durable) + ", committed " +
            describe(status.committed);
    if (!status.waiting_for.empty()) text += ", waits for " + status.waiting_for;
    say(text);
  }
}

void Scenario::on_start(const Member& member) {
  NameScope::name(member.run(), member.name() + std::to_string(++runs_[member.index()]));
  say(std::string(member.name()) + " starts as run " + member.name() + std::to_string(runs_[member.index()]));
}

void Scenario::on_death(const Member& member, Death death) {
  say(std::string(member.name()) + " is " + std::string(to_string(death)));
}

void Scenario::on_event(const Member& member, const PairStatus& /*before*/, const Event& event) {
  const std::string name = member.name();
  if (std::holds_alternative<DeathReported>(event) || std::holds_alternative<StorageFailed>(event) ||
      std::holds_alternative<TrailCut>(event) || std::holds_alternative<TrailReset>(event)) {
    say(name + " <- " + describe(event));
  }
  const auto* said = std::get_if<WitnessSaid>(&event);
  if (said != nullptr && said->outcome != WitnessSaid::Outcome::read) say(name + " <- " + describe(event));
  const auto* peer = std::get_if<PeerSaid>(&event);
  if (messages_ && peer != nullptr) say(name + " <- " + describe(event));
}

void Scenario::on_actions(const Member& member, const PairStatus& /*before*/, const PairStatus& /*after*/,
                          std::span<const Action> actions) {
  const std::string name = member.name();
  for (const Action& action : actions) {
    if (const auto* change = std::get_if<RoleChanged>(&action)) {
      if (change->from == change->to) continue;
      say(name + ": " + std::string(to_string(change->from)) + " -> " + std::string(to_string(change->to)) +
          ", epoch " + std::to_string(change->epoch.value) + ": " + change->reason);
    } else if (std::holds_alternative<ProposeWitness>(action) || std::holds_alternative<AdoptWitness>(action) ||
               std::holds_alternative<OrderAnswered>(action) ||
               std::holds_alternative<Log>(action) || std::holds_alternative<Stop>(action) ||
               std::holds_alternative<CutTrail>(action) || std::holds_alternative<ResetTrail>(action)) {
      say(name + " " + describe(action));
    } else if (const auto* send = std::get_if<SendPeer>(&action); send != nullptr && messages_) {
      if (!std::holds_alternative<Heartbeat>(send->message.body)) say(name + " " + describe(action));
    }
  }
}

void Scenario::on_witness(const SimWitness& witness, const Configuration& before) {
  if (witness.configuration().epoch != before.epoch) say("witness: " + describe(witness.configuration()));
}

void Scenario::on_witness_adopted(const SimWitness& witness, const Configuration& over) {
  say("witness, at epoch " + std::to_string(over.epoch.value) + ", is given " + describe(witness.held()));
}

void Scenario::on_reply_arrived(std::uint32_t requester, const RequesterReply& reply) {
  if (reply.number == 0 || reply.code == Code::not_primary) return;
  if (!reply.session.none()) NameScope::name(reply.session, "S" + std::to_string(requester));
  say("requester " + std::to_string(requester) + ": " + describe(reply));
}

void Scenario::on_execute(const Member& member, const SyncId& /*sync*/, const RegisterRequest& request) {
  say(std::string(member.name()) + " executes \"" + request.payload() + "\"");
}

}  // namespace pollux::testing
