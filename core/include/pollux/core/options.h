// Every limit and every time of a pair, with its name and its default.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

enum class ReadMode : std::uint8_t {
  confirmed,  ///< one batched round trip to the backup (default)
  lease,      ///< for hosts known not to pause
};

struct PairOptions {
  ClusterId cluster;
  std::string pair;
  MemberId me;
  BootId boot;
  std::string death_sign;   ///< told to the peer
  bool may_found = false;   ///< this member may lead epoch 1 of a pair that was never led

  // Times. No time-out below 20 ms: scheduling on a VM jitters by 8 ms.
  Duration heartbeat = std::chrono::milliseconds(50);
  Duration lease = std::chrono::milliseconds(200);
  Duration grace = std::chrono::milliseconds(300);           ///< > lease, even with 1 % drift
  Duration takeover_after = std::chrono::milliseconds(400);  ///< of silence; >= grace
  Duration left_behind_after = std::chrono::milliseconds(1000);  ///< checkpoint not acknowledged: lead alone
  Duration resend_after = std::chrono::milliseconds(100);
  Duration execute_limit = std::chrono::seconds(5);
  Duration force_limit = std::chrono::seconds(5);
  Duration switch_limit = std::chrono::seconds(2);
  Duration stop_linger = std::chrono::seconds(10);           ///< a backup ordered to stop waits for its primary's end
  Duration witness_retry = std::chrono::milliseconds(100);
  Duration adopt_limit = std::chrono::seconds(5);            ///< of an order to adopt a witness
  Duration floor_interval = std::chrono::seconds(3);
  Duration catch_up_retry = std::chrono::milliseconds(200);
  Duration rejoin_backoff_min = std::chrono::milliseconds(100);
  Duration rejoin_backoff_max = std::chrono::seconds(30);
  Duration session_idle = std::chrono::hours(24);

  ReadMode reads = ReadMode::confirmed;

  // Sizes.
  std::size_t queue_requests_max = 8192;        ///< waiting for the executor; beyond: busy
  std::size_t queue_bytes_max = 64u << 20;
  std::size_t queue_reads_max = 8192;
  std::size_t executing_max = 512;              ///< given to the executor, not yet executed
  std::size_t batch_records_max = 4096;
  std::size_t batch_bytes_max = 1u << 20;
  std::size_t in_flight_records_max = 16384;    ///< executed, not yet committed (credit to the backup)
  std::size_t in_flight_bytes_max = 32u << 20;
  std::size_t unapplied_records_max = 400000;   ///< committed, not yet in the tables; beyond: busy
  std::size_t unapplied_bytes_max = 256u << 20;
  std::size_t resend_bytes = 4u << 20;          ///< committed records kept in memory for a member that joins
  std::size_t request_bytes_max = 8u << 20;
  std::size_t reply_bytes_max = 8u << 20;
  std::size_t sessions_max = 10000;
  std::size_t session_window = 8192;            ///< seqs ahead of ack_below
  std::size_t session_reply_bytes_max = 16u << 20;
  std::size_t tail_chunk_bytes = 1u << 20;
  std::size_t snapshot_chunk_bytes = 64u << 10;
  std::uint32_t busy_retry_ms = 20;
};

/// Refuses combinations that would be unsafe (grace <= lease, time-outs below 20 ms, zero sizes).
Result<void> check(const PairOptions& options);

}  // namespace pollux
