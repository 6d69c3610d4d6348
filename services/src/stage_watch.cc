#include "stage_watch.h"

#include <time.h>

#include <algorithm>

namespace pollux {

namespace {

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void add(Count& sum, std::int64_t ns) {
  if (ns > 0) sum.fetch_add(static_cast<std::uint64_t>(ns), std::memory_order_relaxed);
}

}  // namespace

void StageWatch::comes(const Event& event) {
  if (stage_ == Stage::none) {
    const auto* said = std::get_if<RequesterSaid>(&event);
    if (said == nullptr || !std::holds_alternative<Request>(said->message.body)) return;
    stage_ = Stage::came;
    came_ns_ = now_ns();
    forced_ns_ = acked_ns_ = 0;
    return;
  }
  if (stage_ == Stage::came) {
    const auto* executed = std::get_if<Executed>(&event);
    if (executed == nullptr || executed->records.empty()) return;
    stage_ = Stage::executed;
    executed_ns_ = now_ns();
    lsn_ = executed->records.front()->position().lsn;
    return;
  }
  if (const auto* forced = std::get_if<Forced>(&event)) {
    if (forced_ns_ == 0 && forced->upto.lsn >= lsn_) forced_ns_ = now_ns();
  } else if (const auto* peer = std::get_if<PeerSaid>(&event)) {
    const auto* ack = std::get_if<CheckpointAck>(&peer->message.body);
    if (ack != nullptr && acked_ns_ == 0 && ack->durable.lsn >= lsn_) acked_ns_ = now_ns();
  }
}

void StageWatch::replied() {
  // Not executed, but answered from what is stored or turned away; or without a backup: not what is followed.
  if (stage_ == Stage::came) forget();
  if (stage_ != Stage::executed || forced_ns_ == 0 || acked_ns_ == 0) return;
  const auto now = now_ns();
  stage_ = Stage::none;
  counters_.stages.fetch_add(1, std::memory_order_relaxed);
  add(counters_.stage_execute_ns, executed_ns_ - came_ns_);
  add(counters_.stage_force_ns, forced_ns_ - executed_ns_);
  add(counters_.stage_checkpoint_ns, acked_ns_ - executed_ns_);
  add(counters_.stage_both_ns, std::max(forced_ns_, acked_ns_) - executed_ns_);
  add(counters_.stage_reply_ns, now - std::max(forced_ns_, acked_ns_));
}

}  // namespace pollux
