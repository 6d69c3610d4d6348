#include "simulation/nemesis.h"

#include "simulation/world.h"

namespace pollux::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

void Nemesis::again_and_again(Rate rate, std::function<void()> strike) {
  if (!rate.on()) return;
  world_.schedule().after(random_.about(rate.mean), [this, rate, strike = std::move(strike)]() mutable {
    if (world_.schedule().now() >= end_) return;
    strike();
    again_and_again(rate, std::move(strike));
  });
}

void Nemesis::begin(Duration end) {
  end_ = end;
  const Plan& plan = world_.plan();
  again_and_again(plan.cut, [this] { cut(); });
  again_and_again(plan.isolate, [this] { isolate(); });
  again_and_again(plan.kill, [this] { kill(); });
  again_and_again(plan.kill_both, [this] { kill_both(); });
  again_and_again(plan.power_loss, [this] { power_loss(); });
  again_and_again(plan.pause, [this] { pause(); });
  again_and_again(plan.wall_jump, [this] { jump_wall_clock(); });
  again_and_again(plan.force_fails, [this] { force_fault(false); });
  again_and_again(plan.force_hangs, [this] { force_fault(true); });
  again_and_again(plan.slow_disk, [this] { slow_disk(); });
  again_and_again(plan.slow_tables, [this] { slow_tables(); });
  again_and_again(plan.bit_flip, [this] { flip_bit(); });
  again_and_again(plan.pressure, [this] { pressure(); });
  again_and_again(plan.witness_fault, [this] { witness_fault(); });
  again_and_again(plan.witness_back, [this] { witness_goes_back(); });
  again_and_again(plan.order_switch, [this] { order_switch(); });
  again_and_again(plan.order_takeover, [this] { order_takeover(); });
  again_and_again(plan.order_stop, [this] { order_stop(); });
  if (plan.old_disk > 0) again_and_again({seconds(1)}, [this] { keep_copies(); });
  if (plan.death_report_late > 0) again_and_again({seconds(2)}, [this] { world_.supervisor().repeat_an_old_report(); });
  if (plan.mutation == Mutation::lying_death_report) again_and_again({seconds(1)}, [this] { lie_about_death(); });
}

void Nemesis::tell(const std::string& text) {
  world_.observe([&](Observer& observer) { observer.on_fault(text); });
}

Member& Nemesis::anyone() { return world_.member(random_.below(2)); }

Member& Nemesis::primary_if_any() {
  for (std::size_t i = 0; i < 2; ++i) {
    if (world_.member(i).status().role == Role::primary) return world_.member(i);
  }
  return anyone();
}

void Nemesis::cut() {
  auto& cut = world_.network().cut;
  const auto which = random_.below(3);  // A to B, B to A, both
  if (which != 1) cut[0] = true;
  if (which != 0) cut[1] = true;
  tell(which == 0 ? "cut from A to B" : which == 1 ? "cut from B to A" : "cut between A and B");
  world_.schedule().after(random_.between(milliseconds(30), seconds(3)), [this] {
    if (world_.schedule().now() >= end_) return;
    world_.network().cut = {};
    tell("members are connected again");
  });
}

void Nemesis::isolate() {
  const std::size_t which = random_.below(2);
  world_.network().isolated.at(which) = true;
  tell("requesters don't reach a member");
  world_.schedule().after(random_.between(milliseconds(50), seconds(2)),
                          [this, which] { world_.network().isolated.at(which) = false; });
}

void Nemesis::kill() {
  Member& member = random_.chance(0.6) ? primary_if_any() : anyone();
  if (!member.up()) return;
  tell(std::string("kill ") + member.name());
  if (member.paused()) member.resume();
  member.die(Death::killed);
}

void Nemesis::kill_both() {
  tell("kill both");
  for (std::size_t i = 0; i < 2; ++i) world_.member(i).die(Death::killed);
}

void Nemesis::power_loss() {
  Member& member = anyone();
  if (!member.up()) return;
  tell(std::string("power loss of ") + member.name());
  member.die(Death::power_loss);
}

void Nemesis::pause() {
  Member& member = random_.chance(0.7) ? primary_if_any() : anyone();
  if (!member.up() || member.paused()) return;
  tell(std::string("pause ") + member.name());
  member.pause();
  const Duration time = random_.chance(0.5) ? random_.between(milliseconds(10), milliseconds(300))
                                            : random_.between(milliseconds(300), seconds(3));
  world_.schedule().after(time, [this, &member] {
    if (!member.paused()) return;
    tell(std::string("resume ") + member.name());
    member.resume();
  });
}

void Nemesis::force_fault(bool hang) {
  Member& member = anyone();
  if (!member.up()) return;
  using Fault = Member::ForceFault;
  member.next_force = hang ? Fault::hang : random_.chance(0.5) ? Fault::io_error : Fault::disk_full;
  tell(std::string("the next force of ") + member.name() + (hang ? " hangs" : " fails"));
}

void Nemesis::slow_disk() {
  Member& member = anyone();
  member.force_slowness = 5 + static_cast<int>(random_.below(100));
  tell(std::string("slow disk of ") + member.name());
  world_.schedule().after(random_.between(milliseconds(100), seconds(2)), [&member] { member.force_slowness = 1; });
}

void Nemesis::slow_tables() {
  Member& member = anyone();
  member.tables_stalled = true;
  tell(std::string("slow tables of ") + member.name());
  world_.schedule().after(random_.between(milliseconds(300), seconds(2)), [&member] { member.tables_stalled = false; });
}

void Nemesis::flip_bit() {
  Member& member = anyone();
  const bool unseen = world_.plan().mutation == Mutation::bit_flip_unseen;
  if (!unseen && !world_.files_can_be_lost(member)) return;
  // Of a record that the tables show already: what can't be read after a restart is another fault.
  const SimTrail& trail = member.disk.trail;
  const auto low = trail.base().lsn.value + 1;
  const auto high = std::min(member.disk.tables.applied.lsn.value, trail.last().lsn.value);
  if (member.disk.tables.incomplete || high <= low + 1) return;
  const Lsn lsn{low + random_.below(high - low)};
  if (unseen) {
    member.disk.trail.falsify(lsn);
  } else {
    member.disk.trail.damage(lsn);
  }
  tell(std::string("a bit flips in record ") + std::to_string(lsn.value) + " of " + member.name());
}

void Nemesis::pressure() {
  Member& member = anyone();
  const bool exhausted = random_.chance(0.3);
  tell(std::string("the disk of ") + member.name() + (exhausted ? " is full" : " is nearly full"));
  member.tell(DiskPressure{.full = true, .exhausted = exhausted});
  world_.schedule().after(random_.between(milliseconds(100), seconds(1)),
                          [&member] { member.tell(DiskPressure{.full = false}); });
}

void Nemesis::witness_fault() {
  SimWitness& witness = world_.witness();
  if (witness.fault != WitnessFault::none) return;
  // An impostor gives what it is asked for, to both members at a time: no operator may adopt that one.
  const auto dice = random_.below(world_.plan().witness_back.on() ? 4 : 6);
  witness.fault = dice < 2   ? WitnessFault::outage
                  : dice < 4 ? WitnessFault::answers_lost
                  : dice < 5 ? WitnessFault::older
                             : WitnessFault::other;
  if (witness.fault == WitnessFault::older && !witness.has_old_view()) {
    if (random_.chance(0.5)) witness.remember();
    witness.fault = WitnessFault::none;
    return;
  }
  tell("the witness: " + std::string(to_string(witness.fault)));
  world_.schedule().after(random_.between(milliseconds(100), seconds(2)), [this] {
    if (world_.schedule().now() >= end_) return;
    world_.witness().fault = WitnessFault::none;
    world_.witness().remember();
    tell("the witness is well again");
  });
}

void Nemesis::witness_goes_back() {
  SimWitness& witness = world_.witness();
  const bool wiped = random_.chance(0.4);
  if (!witness.can_go_back(wiped)) {
    if (random_.chance(0.5) && !witness.behind()) witness.remember();
    return;
  }
  witness.go_back(wiped);
  tell(wiped ? "the witness is wiped" : "an older copy of the witness is put back");
  operator_adopts();
}

void Nemesis::operator_adopts() {
  world_.schedule().after(random_.between(milliseconds(100), seconds(2)), [this] {
    if (world_.schedule().now() >= end_ || !world_.witness().behind()) return;
    // At one member, or at both.
    const auto which = random_.below(3);
    if (which != 1) world_.member(0).tell(WitnessAdoptOrdered{++ticket_});
    if (which != 0) world_.member(1).tell(WitnessAdoptOrdered{++ticket_});
    operator_adopts();
  });
}

void Nemesis::jump_wall_clock() {
  anyone().wall_offset_us += static_cast<std::int64_t>(random_.below(4'000'000)) - 2'000'000;
}

void Nemesis::order_switch() {
  tell("order: switch");
  (random_.chance(0.9) ? primary_if_any() : anyone()).tell(SwitchOrdered{++ticket_});
}

void Nemesis::order_takeover() {
  Member& member = world_.other(primary_if_any());
  tell(std::string("order: takeover by ") + member.name());
  member.tell(TakeoverOrdered{++ticket_});
}

void Nemesis::order_stop() {
  Member& member = anyone();
  if (random_.chance(0.5)) {
    tell(std::string("order: stop ") + member.name());
    return member.tell(StopOrdered{.alone = true});
  }
  // Both, one later than the other.
  tell(std::string("order: stop both, ") + member.name() + " first");
  member.tell(StopOrdered{});
  Member& second = world_.other(member);
  world_.schedule().after(random_.between(Duration::zero(), std::chrono::seconds(1)), [&second] { second.tell(StopOrdered{}); });
}

void Nemesis::keep_copies() {
  if (random_.chance(0.5)) world_.supervisor().keep_a_copy(anyone());
}

void Nemesis::lie_about_death() {
  Member& victim = primary_if_any();
  if (!victim.up()) return;
  // Where the members hear each other the lie is found out at once.
  tell(std::string("a lie: ") + victim.name() + " died");
  world_.network().cut = {true, true};
  world_.schedule().after(milliseconds(300), [this] { world_.network().cut = {}; });
  world_.other(victim).tell(DeathReported{.run = victim.run(), .boot = victim.boot()});
}

}  // namespace pollux::testing
