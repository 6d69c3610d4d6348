#include "pollux/core/options.h"

namespace pollux {

Result<void> check(const PairOptions& o) {
  using std::chrono::milliseconds;
  const auto bad = [](std::string text) { return fail(Code::bad_config, std::move(text)); };
  const std::pair<Duration, const char*> times[] = {
      {o.heartbeat, "heartbeat_ms"},         {o.lease, "lease_ms"},
      {o.grace, "grace_ms"},                 {o.takeover_after, "takeover_after_ms"},
      {o.left_behind_after, "left_behind_after_ms"}, {o.resend_after, "resend_after_ms"},
      {o.execute_limit, "execute_limit_ms"}, {o.force_limit, "force_limit_ms"},
      {o.switch_limit, "switch_limit_ms"},   {o.witness_retry, "witness_retry_ms"}};
  for (const auto& [time, name] : times) {
    if (time < milliseconds(20)) return bad(std::string(name) + " must be at least 20: scheduling alone takes up to 8 ms");
  }
  // 1 % of clock drift on either side (I7).
  if (o.grace.count() < o.lease.count() / 100 * 102) return bad("grace_ms must be at least 2 % above lease_ms");
  if (o.takeover_after < o.grace) return bad("takeover_after_ms must not be below grace_ms");
  if (o.lease < 2 * o.heartbeat) return bad("lease_ms must be at least twice heartbeat_ms");
  if (o.takeover_after < 3 * o.heartbeat) return bad("takeover_after_ms must be at least three times heartbeat_ms");
  if (o.rejoin_backoff_min > o.rejoin_backoff_max) return bad("rejoin_backoff_min_ms is above rejoin_backoff_max_ms");
  const std::pair<std::size_t, const char*> sizes[] = {
      {o.queue_requests_max, "queue_requests_max"}, {o.queue_bytes_max, "queue_bytes_max"},
      {o.queue_reads_max, "queue_reads_max"},       {o.executing_max, "executing_max"},
      {o.batch_records_max, "batch_records_max"},   {o.batch_bytes_max, "batch_bytes_max"},
      {o.in_flight_records_max, "in_flight_records_max"}, {o.in_flight_bytes_max, "in_flight_bytes_max"},
      {o.unapplied_records_max, "unapplied_records_max"}, {o.unapplied_bytes_max, "unapplied_bytes_max"},
      {o.request_bytes_max, "request_bytes_max"},   {o.reply_bytes_max, "reply_bytes_max"},
      {o.sessions_max, "sessions_max"},             {o.session_window, "session_window"},
      {o.tail_chunk_bytes, "tail_chunk_bytes"},     {o.snapshot_chunk_bytes, "snapshot_chunk_bytes"}};
  for (const auto& [size, name] : sizes) {
    if (size == 0) return bad(std::string(name) + " must not be 0");
  }
  if (o.pair.empty()) return bad("the pair has no name");
  return {};
}

}  // namespace pollux
