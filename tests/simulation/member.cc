#include "simulation/member.h"

#include <limits>

#include "simulation/process.h"
#include "simulation/world.h"

namespace pollux::testing {

std::string_view to_string(Death death) {
  switch (death) {
    case Death::killed: return "killed";
    case Death::power_loss: return "lost its power";
    case Death::poison: return "killed by a request";
    case Death::stopped: return "stopped";
    case Death::aborted: return "aborted";
  }
  return "?";
}

Member::Member(World& world, int index, Random random) : world_(world), index_(index), random_(random) {
  disk.state.incarnation = random_.id<IncarnationId>();
  boot_ = random_.id<BootId>();
  run_ = random_.id<RunId>();
  clock_offset = random_.between(std::chrono::seconds(10), std::chrono::hours(100));
}
Member::~Member() = default;

PairStatus Member::status() const {
  if (process_) return process_->status();
  PairStatus none;
  none.role = Role::stopped;
  return none;
}

Now Member::clock() const {
  const auto world_now = world_.schedule().now();
  const auto local = Duration(static_cast<std::int64_t>(static_cast<double>(world_now.count()) * clock_rate));
  constexpr std::int64_t epoch_us = 1'700'000'000'000'000;
  return {.steady = Instant(local + clock_offset),
          .wall = WallTime{epoch_us + world_now.count() / 1000 + wall_offset_us}};
}

Duration Member::in_world_time(Duration by_clock) const {
  return Duration(static_cast<std::int64_t>(static_cast<double>(by_clock.count()) / clock_rate));
}

void Member::start() {
  take_back_told();
  run_ = random_.id<RunId>();
  process_ = std::make_shared<Process>(*this, random_.fork());
  const auto process = process_;
  process->begin();
}

void Member::die(Death death) {
  if (!process_) return;
  if (death == Death::power_loss) {
    boot_ = random_.id<BootId>();
    take_back_told();
  }
  const auto process = std::exchange(process_, nullptr);
  process->end(death);
  world_.died(*this, death);
}

// The epoch stays: without it, readers would go on with what the other member told in an earlier one.
void Member::take_back_told() {
  told.committed = {std::numeric_limits<std::uint64_t>::max()};
  if (world_.plan().mutation == Mutation::told_epoch_forgotten) told = {};
}

void Member::wipe() {
  disk = Disk{};
  disk.state.incarnation = random_.id<IncarnationId>();
}

void Member::pause() {
  paused_ = true;
  world_.observe([&](Observer& observer) { observer.on_pause(*this); });
}
void Member::resume() {
  paused_ = false;
  const auto process = process_;
  if (process) process->resume();
}

void Member::receive(PeerSaid said) {
  const auto process = process_;
  if (!process) return;
  const bool beat = is_heartbeat(said.message.body);
  process->tell(beat ? Process::Source::heartbeats : Process::Source::checkpoints, std::move(said));
}

void Member::receive(RequesterSaid said) {
  const auto process = process_;
  if (!process) return;
  if (world_.plan().mutation == Mutation::ask_answers_tombstone &&
      std::holds_alternative<OutcomeAsk>(said.message.body)) {
    RequesterReply lie{.number = said.message.number, .code = Code::tombstone, .payload = "verdict"};
    lie.lsn = Lsn{1};
    world_.network().to_requester(index_, static_cast<std::uint32_t>(said.route.value), lie);
    return;
  }
  if (auto* open = std::get_if<OpenSession>(&said.message.body)) open->proposed = random_.id<SessionId>();
  if (const auto* request = std::get_if<Request>(&said.message.body)) {
    const auto parsed = RegisterRequest::parse(request->payload);
    said.frees_space = parsed && parsed->verb == Verb::erase;
  }
  process->tell(Process::Source::requesters, std::move(said));
}

void Member::tell(Event event) {
  const auto process = process_;
  if (process) process->tell(Process::Source::control, std::move(event));
}

}  // namespace pollux::testing
