#include "simulation/world.h"

#include <algorithm>
#include <charconv>

#include "simulation/describe.h"

namespace pollux::testing {

using std::chrono::milliseconds;

World::World(const Plan& plan)
    : plan_(plan),
      random_(plan.seed * 0x2545f4914f6cdd1dULL + 17),
      witness_(*this, random_.fork()),
      network_(*this, random_.fork()),
      supervisor_(*this, random_.fork()) {
  for (int i = 0; i < 2; ++i) {
    auto& member = members_.at(static_cast<std::size_t>(i));
    member = std::make_unique<Member>(*this, i, random_.fork());
    member->clock_rate = 1.0 + plan.drift * (random_.unit() - 0.5);
    member->wall_offset_us = static_cast<std::int64_t>(random_.below(2'000'000));
  }
  if (plan.mutation == Mutation::fast_clock) members_[1]->clock_rate = 3.0;
  network_.weather = {.delay = plan.delay, .loss = plan.loss, .duplicate = plan.duplicate, .late = plan.late};
  witness_.weather.delay = plan.witness_delay;
  witness_.weather.loss = plan.witness_loss;
  witness_.weather.late = plan.witness_late;
  witness_.grants_twice = plan.mutation == Mutation::witness_grants_twice;
  for (std::uint32_t i = 0; i < plan.requesters; ++i) {
    requesters_.push_back(std::make_unique<Requester>(*this, i, random_.fork()));
  }
}

void World::begin() {
  for (auto& member : members_) {
    schedule_.after(random_.about(milliseconds(20)), [&member] { member->start(); });
  }
  for (auto& requester : requesters_) requester->begin();
}

void World::run_for(Duration time) {
  const Duration until = schedule_.now() + time;
  while (schedule_.step(until)) {
  }
}

void World::heal() {
  healed_ = true;
  network_.cut = {};
  network_.isolated = {};
  if (plan_.mutation == Mutation::never_heals) network_.cut = {true, true};
  network_.weather = {.delay = plan_.delay, .loss = 0, .duplicate = 0, .late = 0};
  witness_.fault = WitnessFault::none;
  witness_.weather.loss = 0;
  witness_.weather.late = 0;
  for (auto& member : members_) {
    member->next_force = Member::ForceFault::none;
    member->force_slowness = member->apply_slowness = 1;
    member->tables_stalled = false;
    member->tell(DiskPressure{.full = false});
    if (member->paused()) member->resume();
  }
  supervisor_.heal();
}

bool World::at_rest() const {
  const Member* primary = nullptr;
  for (const auto& member : members_) {
    if (member->status().serving) primary = member.get();
  }
  if (primary == nullptr) return false;
  const PairStatus first = primary->status();
  const Member& backup = *members_[1 - static_cast<std::size_t>(primary->index())];
  const PairStatus second = backup.status();
  if (first.solo || first.joining || second.role != Role::backup) return false;
  if (first.configuration.epoch != second.configuration.epoch) return false;
  if (!first.configuration.backup || *first.configuration.backup != backup.id()) return false;
  if (!std::ranges::all_of(requesters_, [](const auto& requester) { return requester->idle(); })) return false;
  for (const auto& member : members_) {
    if (member->disk.trail.damaged() || member->disk.tables.incomplete) return false;
    if (member->disk.trail.last() != primary->disk.trail.last()) return false;
    if (member->disk.tables.applied != primary->disk.trail.last()) return false;
  }
  return true;
}

void World::settle() {
  const Duration begun = schedule_.now();
  const Duration limit = begun + plan_.heal_limit;
  schedule_.after(milliseconds(500), [this] {
    for (auto& requester : requesters_) requester->finish();
  });
  while (schedule_.now() < limit) {
    run_for(milliseconds(100));
    if (schedule_.now() < begun + milliseconds(600)) continue;
    for (auto& member : members_) {
      if (member->status().witness_refused) member->tell(WitnessAdoptOrdered{++adopt_ticket_});
    }
    if (at_rest()) return;
  }
  throw Violation("liveness: all faults ended " + std::to_string(plan_.heal_limit / milliseconds(1)) +
                  " ms ago and the pair is not at rest:\n" + describe());
}

std::string World::describe() const {
  std::string text;
  for (const auto& member : members_) text += "  " + testing::describe(*member) + "\n";
  text += "  witness: " + testing::describe(witness_.configuration()) + "\n";
  for (const auto& requester : requesters_) {
    if (!requester->idle()) text += "  requester waits:" + requester->describe_calls() + "\n";
  }
  return text;
}

void World::died(Member& member, Death death) { supervisor_.died(member, death); }

void World::requester_hears(std::uint32_t requester, int member, const RequesterReply& reply) {
  observe([&](Observer& observer) { observer.on_reply_arrived(requester, reply); });
  requesters_.at(requester)->hear(member, reply);
}

void World::after_execution(Member& member, const SealedRecord& record) {
  if (plan_.mutation != Mutation::reply_before_commit || record.record.kind != RecordKind::request) return;
  // The request carries its operation's index as its trace, so that this needs no bookkeeping.
  const auto& operation = history_.at(record.record.trace);
  for (std::uint64_t number = 1; number < 100000; ++number) {
    if (requesters_.at(operation.requester)->operation(number) != &operation) continue;
    RequesterReply reply{.number = number, .code = record.record.code, .payload = std::string(record.record.reply)};
    reply.lsn = record.record.lsn;
    network_.to_requester(member.index(), operation.requester, reply);
    return;
  }
}

bool World::files_can_be_lost(const Member& member) const {
  const Member& other = *members_[1 - static_cast<std::size_t>(member.index())];
  if (witness_.behind()) return false;  // files and witness both from the past: nobody could tell
  const Configuration& configuration = witness_.configuration();
  const bool named = configuration.primary.incarnation == other.incarnation() ||
                     (configuration.backup && configuration.backup->incarnation == other.incarnation());
  return named && !witness_.may_still_lead(member.incarnation()) && !other.disk.trail.damaged() &&
         other.disk.trail.last().lsn >= committed_top_.lsn && other.disk.trail.holds(committed_top_) &&
         other.disk.trail.holds(configuration.floor);
}

std::uint64_t World::last_seen(std::uint32_t key) const {
  const auto found = last_seen_.find(key);
  return found == last_seen_.end() ? 0 : found->second;
}

void World::saw(const Operation& operation) {
  const RegisterRequest& request = operation.request;
  std::uint64_t value = 0;
  if (!operation.query && operation.code == Code::ok && (request.verb == Verb::put || request.verb == Verb::cas)) {
    value = request.value;
  } else {
    std::from_chars(operation.reply.data(), operation.reply.data() + operation.reply.size(), value);
  }
  last_seen_[request.key] = value;
}

}  // namespace pollux::testing
