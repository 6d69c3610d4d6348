#include "simulation/witness.h"

#include <memory>

#include "pollux/core/check.h"
#include "simulation/world.h"

namespace pollux::testing {

std::string_view to_string(WitnessFault fault) {
  switch (fault) {
    case WitnessFault::none: return "none";
    case WitnessFault::outage: return "outage";
    case WitnessFault::answers_lost: return "answers lost";
    case WitnessFault::older: return "went back in time";
    case WitnessFault::other: return "replaced";
  }
  return "?";
}

SimWitness::SimWitness(World& world, Random random) : world_(world), random_(random) {
  view_.witness = random_.id<WitnessId>();
  other_id_ = random_.id<WitnessId>();
}

void SimWitness::remember() { old_view_ = view_; }

bool SimWitness::can_go_back(bool wiped) const {
  if (behind() || fault != WitnessFault::none || (!wiped && !old_view_)) return false;
  const Epoch then = wiped ? Epoch{} : old_view_->configuration.epoch;
  for (std::size_t i = 0; i < 2; ++i) {
    if (world_.member(i).disk.state.configuration.epoch <= then) return false;
  }
  return true;
}

bool SimWitness::known_beyond(Epoch epoch) const {
  for (std::size_t i = 0; i < 2; ++i) {
    if (world_.member(i).disk.state.configuration.epoch > epoch) return true;
  }
  return false;
}

void SimWitness::go_back(bool wiped) {
  POLLUX_CHECK(can_go_back(wiped));
  view_ = wiped ? WitnessView{.witness = random_.id<WitnessId>(), .revision = 1, .configuration = {}} : *old_view_;
  if (wiped) old_view_.reset();
}

const Configuration* SimWitness::of_epoch(Epoch epoch) const {
  const auto found = history_.find(epoch);
  return found == history_.end() ? nullptr : &found->second;
}

bool SimWitness::may_still_lead(const IncarnationId& incarnation) const {
  const auto [begin, end] = in_flight_.equal_range(incarnation);
  return std::any_of(begin, end, [this](const auto& flight) {
    return flight.second == view_.configuration.epoch.next();
  });
}

void SimWitness::send(std::uint64_t ticket, std::function<WitnessSaid()> land, Answer answer) {
  const auto flight = std::make_shared<Flight>();
  const auto give_up = [flight, ticket, answer] {
    if (flight->told) return;
    flight->told = true;
    answer({.ticket = ticket, .outcome = WitnessSaid::Outcome::in_doubt, .view = {}, .text = "no answer"});
  };
  Schedule& schedule = world_.schedule();
  schedule.after(weather.timeout, give_up);
  Duration delay = random_.about(weather.delay);
  if (random_.chance(weather.late)) delay += random_.between(weather.timeout / 2, weather.timeout * 10);
  if (fault == WitnessFault::outage || random_.chance(weather.loss)) {
    land = nullptr;
  }
  schedule.after(delay, [this, flight, ticket, land = std::move(land), answer]() mutable {
    if (!land) return;
    if (fault == WitnessFault::outage) {
      land = nullptr;
      return;
    }
    WitnessSaid said = land();
    said.ticket = ticket;
    if (fault == WitnessFault::answers_lost || random_.chance(weather.loss)) return;
    world_.schedule().after(random_.about(weather.delay), [flight, said = std::move(said), answer] {
      if (flight->told) return;
      flight->told = true;
      answer(said);
    });
  });
}

void SimWitness::read(std::uint64_t ticket, Answer answer) {
  send(ticket, [this] { return land_read(); }, std::move(answer));
}

void SimWitness::propose(std::uint64_t ticket, const Configuration& next, Answer answer) {
  // The token lives as long as the request may still land.
  const auto entry = in_flight_.emplace(next.primary.incarnation, next.epoch);
  const auto token = std::shared_ptr<void>(nullptr, [this, entry](void*) { in_flight_.erase(entry); });
  send(ticket, [this, next, token] { return land_proposal(next); }, std::move(answer));
}

void SimWitness::adopt(std::uint64_t ticket, const WitnessView& refused, const Configuration& next, Answer answer) {
  send(ticket, [this, refused, next] { return land_adoption(refused, next); }, std::move(answer));
}

void SimWitness::raise_floor(const Configuration& configuration) {
  if (fault == WitnessFault::outage || random_.chance(weather.loss)) return;
  world_.schedule().after(random_.about(weather.delay), [this, configuration] {
    if (fault != WitnessFault::none) return;
    const Configuration& held = view_.configuration;
    if (held.epoch != configuration.epoch || held.primary != configuration.primary) return;
    if (configuration.floor.lsn <= held.floor.lsn) return;
    const Configuration before = held;
    view_.configuration.floor = configuration.floor;
    ++view_.revision;
    if (behind()) return;
    newest_ = view_.configuration;
    world_.observe([&](Observer& observer) { observer.on_witness(*this, before); });
  });
}

WitnessSaid SimWitness::land_read() {
  WitnessSaid said{.ticket = 0, .outcome = WitnessSaid::Outcome::read, .view = view_, .text = {}};
  if (fault == WitnessFault::older && old_view_) said.view = old_view_;
  if (fault == WitnessFault::other) said.view = WitnessView{.witness = other_id_, .revision = 1, .configuration = {}};
  return said;
}

WitnessSaid SimWitness::land_proposal(const Configuration& next) {
  using Outcome = WitnessSaid::Outcome;
  if (fault == WitnessFault::older || fault == WitnessFault::other) {
    WitnessSaid said = land_read();
    // An impostor grants what it is asked for: only its id and revision give it away. It does not do so to a
    // member that has never seen better, and could not know.
    bool knows = false;
    for (std::size_t i = 0; i < 2; ++i) {
      const MemberState& state = world_.member(i).disk.state;
      if (state.incarnation != next.primary.incarnation || state.witness != view_.witness) continue;
      knows = fault == WitnessFault::other || state.witness_revision > said.view->revision;
    }
    const bool grants = knows && random_.chance(0.7);
    said.outcome = grants ? Outcome::won : Outcome::lost;
    if (grants) said.view->configuration = next;
    return said;
  }
  Configuration& held = view_.configuration;
  const bool ours = next.epoch.value == 1 || (next.cluster == held.cluster && next.generation == held.generation);
  if (ours && next.epoch == held.epoch.next()) {
    const Configuration before = held;
    const bool was_behind = behind();
    held = next;
    if (held.floor.lsn < before.floor.lsn) held.floor = before.floor;  // never backwards
    ++view_.revision;
    // What lands at a witness that went back is not the pair's history: no member may act on it.
    if (was_behind) return {.ticket = 0, .outcome = Outcome::won, .view = view_, .text = {}};
    newest_ = held;
    history_[held.epoch] = held;
    world_.observe([&](Observer& observer) { observer.on_witness(*this, before); });
    return {.ticket = 0, .outcome = Outcome::won, .view = view_, .text = {}};
  }
  if (grants_twice && next.epoch == held.epoch) {
    WitnessView lie = view_;
    lie.configuration = next;
    return {.ticket = 0, .outcome = Outcome::won, .view = lie, .text = {}};
  }
  const bool repeated = next.epoch == held.epoch && next.primary == held.primary && next.backup == held.backup;
  return {.ticket = 0, .outcome = repeated ? Outcome::won : Outcome::lost, .view = view_, .text = {}};
}

WitnessSaid SimWitness::land_adoption(const WitnessView& refused, const Configuration& next) {
  using Outcome = WitnessSaid::Outcome;
  if (fault == WitnessFault::older || fault == WitnessFault::other) {
    WitnessSaid said = land_read();
    said.outcome = Outcome::lost;
    return said;
  }
  Configuration& held = view_.configuration;
  const bool stands = next.epoch == held.epoch && next.primary == held.primary && next.backup == held.backup;
  const bool is_refused_one = view_.witness == refused.witness && view_.revision == refused.revision &&
                              held.epoch == refused.configuration.epoch;
  if (stands || !is_refused_one || next.epoch <= held.epoch) {
    return {.ticket = 0, .outcome = stands ? Outcome::won : Outcome::lost, .view = view_, .text = {}};
  }
  const Configuration over = held;
  held = next;
  if (held.floor.lsn < over.floor.lsn) held.floor = over.floor;
  ++view_.revision;
  // An order that lands late, at a witness that went back once more: the very view that it was given for stands there
  // again. What it gives is not what the pair knows by now, and no member may act on it.
  if (known_beyond(next.epoch)) return {.ticket = 0, .outcome = Outcome::won, .view = view_, .text = {}};
  world_.observe([&](Observer& observer) { observer.on_witness_adopted(*this, over); });
  newest_ = held;
  history_.erase(history_.upper_bound(held.epoch), history_.end());  // given, and never acted on
  return {.ticket = 0, .outcome = Outcome::won, .view = view_, .text = {}};
}

}  // namespace pollux::testing
