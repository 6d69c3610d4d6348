#include "simulation/supervisor.h"

#include <algorithm>

#include "simulation/world.h"

namespace pollux::testing {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

void Supervisor::report(const Dead& dead, Duration delay) {
  world_.schedule().after(delay, [this, dead] {
    Member& survivor = world_.member(static_cast<std::size_t>(1 - dead.member));
    survivor.tell(DeathReported{.run = dead.run, .boot = dead.boot});
  });
}

void Supervisor::died(Member& member, Death death) {
  const Plan& plan = world_.plan();
  dead_.push_back({member.index(), member.run(), member.boot()});
  // With its host a member loses those who would report it.
  if (reports && death != Death::power_loss) {
    if (random_.chance(plan.death_report)) report(dead_.back(), random_.about(microseconds(400)));
    if (random_.chance(plan.death_report_twice)) report(dead_.back(), random_.about(milliseconds(60)));
    if (random_.chance(plan.death_report_late)) report(dead_.back(), random_.between(milliseconds(200), seconds(5)));
  }
  if (restarts) world_.schedule().after(random_.about(plan.restart), [this, &member] { restart(member); });
}

void Supervisor::watch(Member& member, const RunId& run) {
  if (!reports) return;
  const auto found = std::ranges::find(dead_, run, &Dead::run);
  if (found != dead_.end() && random_.chance(world_.plan().death_report)) {
    world_.schedule().after(microseconds(200), [&member, dead = *found] {
      member.tell(DeathReported{.run = dead.run, .boot = dead.boot});
    });
  }
}

void Supervisor::repeat_an_old_report() {
  if (dead_.empty()) return;
  report(dead_[random_.below(dead_.size())], Duration{});
}

void Supervisor::keep_a_copy(Member& member) {
  copies_.at(static_cast<std::size_t>(member.index())) = Copy{member.disk};
}

void Supervisor::heal() {
  healed_ = true;
  for (std::size_t i = 0; i < 2; ++i) {
    Member& member = world_.member(i);
    if (!member.up()) world_.schedule().after(milliseconds(20), [this, &member] { restart(member); });
  }
}

void Supervisor::start(Member& member) {
  if (!member.up()) member.start();
}

void Supervisor::restart(Member& member) {
  if (member.up()) return;
  const Plan& plan = world_.plan();
  auto& copy = copies_.at(static_cast<std::size_t>(member.index()));
  const bool may_lose = world_.files_can_be_lost(member);
  if (plan.mutation == Mutation::wipe_in_sync && random_.chance(plan.wiped)) {
    const IncarnationId same = member.incarnation();
    const MemberState state = member.disk.state;
    member.wipe();
    member.disk.state = state;
    member.disk.state.incarnation = same;
    world_.observe([&](Observer& observer) { observer.on_fault(std::string(member.name()) + " loses its records"); });
  } else if (!healed_ && may_lose && random_.chance(plan.wiped)) {
    member.wipe();
    copy.reset();
    world_.observe([&](Observer& observer) { observer.on_fault(std::string(member.name()) + " is wiped"); });
  } else if (!healed_ && copy && random_.chance(plan.old_disk)) {
    // Only copies below the floor can be told from the real files (I3); it is written every few seconds.
    const bool below_floor = copy->disk.trail.last().lsn < world_.witness().configuration().floor.lsn;
    const bool lies = plan.mutation == Mutation::old_disk_without_floor;
    if ((below_floor && may_lose) || lies) {
      member.disk = copy->disk;
      ++member.disk_restored;
      world_.observe(
          [&](Observer& observer) { observer.on_fault(std::string(member.name()) + " gets an old copy of its files"); });
    }
  }
  member.start();
}

}  // namespace pollux::testing
