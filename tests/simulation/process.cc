#include "simulation/process.h"

#include <algorithm>
#include <utility>

#include "pollux/core/check.h"
#include "simulation/world.h"

namespace pollux::testing {

namespace {
constexpr std::size_t held_max = 20000;  ///< messages queued for a paused process; sockets drop what is beyond

PairOptions options_of(const Member& member) {
  PairOptions options = member.world().plan().options;
  options.me = member.id();
  options.boot = member.boot();
  options.death_sign = std::string("/run/") + member.name();
  options.may_found = member.index() == 0;
  return options;
}
}  // namespace

Process::Process(Member& member, Random random)
    : member_(member), world_(member.world()), random_(random), pair_(options_of(member)) {}

void Process::begin() {
  status_ = pair_.status();
  world_.observe([&](Observer& observer) { observer.on_start(member_); });
  step(recover());
  if (dead_) return;
  tick();
  scrub();
}

Recovered Process::recover() {
  Disk& disk = member_.disk;
  if (disk.in_execution) disk.quarantined.insert(*disk.in_execution);
  disk.in_execution.reset();
  const auto mutation = world_.plan().mutation;
  if (mutation == Mutation::forget_quarantine) disk.quarantined.clear();
  Recovered recovered;
  recovered.state = disk.state;
  if (mutation == Mutation::forget_epoch) recovered.state.configuration = {};
  recovered.trail_base = disk.trail.base();
  recovered.trail_last = disk.trail.last();
  recovered.applied = disk.tables.applied.lsn;
  // A crash between a snapshot's last chunk and the new beginning of the trail leaves two that don't fit.
  const bool fits = disk.trail.hash_at(disk.tables.applied.lsn) == disk.tables.applied.hash;
  recovered.incomplete = disk.tables.incomplete || !fits;
  recovered.sessions = disk.tables.sessions;
  if (mutation == Mutation::forget_sessions || mutation == Mutation::change_stored_replies) {
    recovered.sessions.clear();
    for (auto [id, session] : disk.tables.sessions.all()) {
      if (mutation == Mutation::forget_sessions) session.replies.clear();
      for (auto& [seq, reply] : session.replies) reply.reply += "0";
      recovered.sessions.restore(id, std::move(session));
    }
  }
  if (fits) {
    recovered.unapplied = disk.trail.after(disk.tables.applied.lsn);
    overlay_.assign(recovered.unapplied.begin(), recovered.unapplied.end());
  }
  recovered.quarantined.assign(disk.quarantined.begin(), disk.quarantined.end());
  executor_.last = overlay_top();
  committed_ = disk.tables.applied;
  return recovered;
}

void Process::end(Death death) {
  if (dead_) return;
  dead_ = true;
  // What a thread had under way when the process died may have reached the disk, or not.
  for (Thread* thread : {&forcer_, &applier_}) {
    if (thread->effect && random_.chance(0.5)) thread->effect();
    thread->effect = nullptr;
  }
  world_.observe([&](Observer& observer) { observer.on_death(member_, death); });
}

void Process::act(Source source, Act act) {
  if (dead_) return;
  if (member_.paused()) {
    if (held_count_ >= held_max) return;
    ++held_count_;
    held_[static_cast<std::size_t>(source)].push_back(std::move(act));
    return;
  }
  act();
}

void Process::later(Source source, Duration delay, Act action) {
  Duration& last = last_[static_cast<std::size_t>(source)];
  last = std::max(last, world_.schedule().now() + delay);
  world_.schedule().at(last, [weak = weak_from_this(), source, action = std::move(action)]() mutable {
    if (const auto self = weak.lock()) self->act(source, std::move(action));
  });
}

void Process::tell(Source source, Event event) {
  act(source, [this, event = std::move(event)]() mutable { step(std::move(event)); });
}

void Process::resume() {
  // All that came meanwhile is there at once. Which queue is read first is anybody's guess.
  while (held_count_ > 0 && !dead_) {
    auto& queue = held_[random_.below(held_.size())];
    for (std::size_t n = 1 + random_.below(8); n > 0 && !queue.empty() && !dead_; --n) {
      Act next = std::move(queue.front());
      queue.pop_front();
      --held_count_;
      next();
    }
  }
}

void Process::tick() {
  const auto half = member_.in_world_time(world_.plan().options.heartbeat / 2);
  const auto jitter = random_.chance(0.05) ? random_.between({}, std::chrono::milliseconds(8)) : Duration{};
  later(Source::clock, half + jitter, [this] {
    tick();  // first: the step below may end this process
    step(Tick{});
  });
}

void Process::step(Event event) {
  if (dead_) return;
  const auto keep = shared_from_this();
  const PairStatus before = std::move(status_);
  world_.observe([&](Observer& observer) { observer.on_event(member_, before, event); });
  Actions actions = std::exchange(actions_, {});
  actions.clear();
  pair_.step(std::move(event), member_.clock(), actions);
  status_ = pair_.status();
  world_.observe([&](Observer& observer) { observer.on_actions(member_, before, status_, actions); });
  for (Action& action : actions) {
    if (dead_) break;
    carry_out(action);
  }
  actions_ = std::move(actions);
}

void Process::carry_out(Action& action) {
  std::visit([this](auto& order) { on(order); }, action);
}

void Process::on(SendPeer& action) { world_.network().to_peer(member_.index(), std::move(action.message)); }

void Process::on(SendReply& action) {
  world_.network().to_requester(member_.index(), static_cast<std::uint32_t>(action.route.value),
                                std::move(action.reply));
}

void Process::on(AnnounceRequesters& action) {
  world_.network().to_all_requesters(member_.index(), action.news);
}

void Process::on(Commit& action) {
  POLLUX_CHECK_WHY(action.upto.lsn <= overlay_top().lsn, "a commit beyond what the overlay holds");
  committed_ = std::max(committed_, action.upto);
  apply_next();
}

void Process::on(TellReaders& action) {
  if (world_.plan().mutation == Mutation::readers_not_told && member_.index() == 1) return;
  member_.told = action;
}

void Process::on(RunQuery& action) {
  later(Source::query, random_.about(world_.plan().execute), [this, query = std::move(action)] {
    RequesterReply reply{.number = query.number, .code = Code::not_primary, .payload = "not primary any more"};
    reply.epoch = query.epoch;
    const bool stands = status_.role == Role::primary && status_.configuration.epoch == query.epoch;
    const auto request = RegisterRequest::parse(query.payload);
    POLLUX_CHECK(request.has_value());
    if (stands) {
      const Mutation mutation = world_.plan().mutation;
      Lsn upto = committed_.lsn;
      if (mutation == Mutation::read_uncommitted) upto = overlay_top().lsn;
      if (mutation == Mutation::read_applied_only) upto = member_.disk.tables.applied.lsn;
      const auto result =
          execute_register(*request, [this, upto](const std::string& key) { return row(key, upto); });
      reply.code = result.code;
      reply.payload = result.reply;
    }
    world_.network().to_requester(member_.index(), static_cast<std::uint32_t>(query.route.value), reply);
  });
}

void Process::on(ReadWitness& action) {
  world_.witness().read(action.ticket, [weak = weak_from_this()](WitnessSaid said) {
    if (const auto self = weak.lock()) self->tell(Source::witness, std::move(said));
  });
}

void Process::on(ProposeWitness& action) {
  world_.witness().propose(action.ticket, action.next, [weak = weak_from_this()](WitnessSaid said) {
    if (const auto self = weak.lock()) self->tell(Source::witness, std::move(said));
  });
}

void Process::on(AdoptWitness& action) {
  world_.witness().adopt(action.ticket, action.refused, action.next, [weak = weak_from_this()](WitnessSaid said) {
    if (const auto self = weak.lock()) self->tell(Source::witness, std::move(said));
  });
}

void Process::on(RaiseFloor& action) { world_.witness().raise_floor(action.configuration); }

void Process::on(ReadHashes& action) {
  later(Source::reader, random_.about(world_.plan().execute), [this, order = std::move(action)] {
    HashesRead read{.ticket = order.ticket, .known = {}};
    for (const Lsn lsn : order.lsns) {
      const auto hash = lsn.value == 0 ? Hash{} : member_.disk.trail.hash_at(lsn);
      if (hash) read.known.push_back({lsn, *hash});
    }
    step(std::move(read));
  });
}

void Process::on(ReadTail& action) {
  later(Source::reader, random_.about(world_.plan().execute), [this, order = std::move(action)] {
    const SimTrail& trail = member_.disk.trail;
    TailRead read{.ticket = order.ticket, .records = {}, .gone = order.after < trail.base().lsn};
    std::size_t bytes = 0;
    std::optional<Lsn> damaged;
    for (Lsn at = order.after.next(); !read.gone && at <= trail.last().lsn && bytes < order.bytes_max; at = at.next()) {
      const SimTrail::Stored* stored = trail.find(at);
      if (stored->damaged) {
        damaged = at;
        break;
      }
      bytes += stored->record->bytes.size();
      read.records.push_back(stored->record);
    }
    if (damaged) step(DamageFound{*damaged});
    if (!dead_) step(std::move(read));
  });
}

void Process::on(ReadSnapshot& action) {
  later(Source::reader, random_.about(world_.plan().execute), [this, order = std::move(action)] {
    SnapshotRead read{.ticket = order.ticket, .chunk = {}, .failed = member_.disk.tables.incomplete};
    if (!read.failed) read.chunk = member_.disk.tables.read_snapshot(order.cursor, order.bytes_max);
    step(std::move(read));
  });
}

void Process::on(RoleChanged& /*action*/) {}
void Process::on(Log& /*action*/) {}
void Process::on(OrderAnswered& /*action*/) {}
void Process::on(WatchPeer& action) { world_.watch(member_, action.run); }

void Process::on(Stop& action) { member_.die(action.abort ? Death::aborted : Death::stopped); }

}  // namespace pollux::testing
