#include "simulation/trace.h"

#include <cstdio>

#include "simulation/describe.h"
#include "simulation/world.h"

namespace pollux::testing {

void Trace::line(const Member* member, const std::string& text) {
  char time[32];
  const auto us = const_cast<World*>(world_)->schedule().now() / std::chrono::microseconds(1);
  std::snprintf(time, sizeof time, "%10.3f ", static_cast<double>(us) / 1000.0);
  *out_ << time << (member == nullptr ? " " : member->name()) << ' ' << text << '\n';
}

void Trace::on_start(const Member& member) {
  line(&member, "---- starts, run " + short_name(member.run()) + " incarnation " + short_name(member.incarnation()));
}
void Trace::on_death(const Member& member, Death death) {
  line(&member, "---- is " + std::string(to_string(death)) + ", run " + short_name(member.run()));
}
void Trace::on_event(const Member& member, const PairStatus& /*before*/, const Event& event) {
  if (!std::holds_alternative<Tick>(event)) line(&member, "<- " + describe(event));
}
void Trace::on_actions(const Member& member, const PairStatus& /*before*/, const PairStatus& /*after*/,
                       std::span<const Action> actions) {
  for (const Action& action : actions) line(&member, "   " + describe(action));
}
void Trace::on_witness(const SimWitness& witness, const Configuration& before) {
  if (witness.configuration().epoch != before.epoch) {
    line(nullptr, "==== the witness holds " + describe(witness.configuration()));
  }
}
void Trace::on_fault(const std::string& text) { line(nullptr, "**** " + text); }

void Fingerprint::mix(std::uint64_t number) {
  value_ = (value_ ^ number) * 0xff51afd7ed558ccdULL;
  value_ ^= value_ >> 29;
}
void Fingerprint::on_event(const Member& member, const PairStatus& /*before*/, const Event& event) {
  mix(static_cast<std::uint64_t>(const_cast<World*>(world_)->schedule().now().count()));
  mix(event.index() * 2 + static_cast<std::uint64_t>(member.index()));
}
void Fingerprint::on_actions(const Member& /*member*/, const PairStatus& /*before*/, const PairStatus& after,
                             std::span<const Action> actions) {
  for (const Action& action : actions) mix(action.index());
  mix(after.executed.lsn.value);
  mix(after.configuration.epoch.value);
}

}  // namespace pollux::testing
