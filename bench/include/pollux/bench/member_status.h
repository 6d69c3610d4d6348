// What a member says about itself on its control socket (services/control.h), as far as benchmarks, drills
// and tests need it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/core/result.h"

namespace pollux {

/// Sums since the process began over the requests that it followed as primary; with one request outstanding, all.
struct MemberStages {
  std::uint64_t requests = 0;
  std::int64_t execute_ns = 0;     ///< from its arrival until it was executed
  std::int64_t force_ns = 0;       ///< from then until it was durable here
  std::int64_t checkpoint_ns = 0;  ///< from then until the backup had said that it is durable there
  std::int64_t both_ns = 0;        ///< the longer of these two
  std::int64_t reply_ns = 0;       ///< from then until the reply left
};

struct MemberStatus {
  std::string member, role, run, incarnation, reason, waiting_for;
  pid_t pid = 0;
  bool serving = false, solo = false, joining = false;
  std::uint64_t epoch = 0, executed = 0, durable = 0, committed = 0, applied = 0, sessions = 0;
  std::string committed_hash;
  std::uint64_t age_ms = 0;
  std::string primary_run, backup_run;   ///< of the configuration; empty: none
  std::vector<std::string> quarantined;  ///< "session/seq"
  MemberStages stages;
  std::string json;                      ///< the line itself
};
/// `malformed` if the line is no status.
Result<MemberStatus> parse_member_status(std::string_view line);
/// Asks a member. `unreachable` if it is not there.
Result<MemberStatus> ask_member_status(const std::filesystem::path& control);

/// One audit record, as `audit-read` tells it.
struct AuditLine {
  std::uint64_t lsn = 0, epoch = 0, seq = 0;
  std::string kind, session, code, hash;
  bool committed = false;
};
/// Records after `after`, in order, at most `count`.
Result<std::vector<AuditLine>> read_audit(const std::filesystem::path& control, std::uint64_t after,
                                          std::uint64_t count);
/// The last line that a member answers to a command, as JSON text; an error line becomes an Error.
Result<std::string> ask_control(const std::filesystem::path& control, const std::string& command,
                                std::chrono::milliseconds timeout);

/// A process's anonymous resident memory (RssAnon of /proc/PID/status) in bytes, 0 if it is gone.
std::uint64_t resident_anonymous_bytes(pid_t pid);
/// Processor time of all its threads since it began, user and system, in nanoseconds (of the kernel's resolution,
/// 10 ms); 0 if there is no such process.
std::int64_t processor_time_ns(pid_t pid);

}  // namespace pollux
