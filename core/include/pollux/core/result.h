// What can go wrong in the world, and what a caller is to do about it.
//
// Our own mistakes are POLLUX_CHECKs (check.h). Everything else is a `Result` with one of the codes below.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace pollux {

/// What the caller of a failed call is to do.
enum class Duty : std::uint8_t {
  none,     ///< nothing went wrong
  retry,    ///< not executed; the same call may succeed later
  give_up,  ///< not executed, and a retry won't help
  ask,      ///< in doubt: ask for the outcome before anything else
};

/// The one table of codes. The numbers go over the wire and into the trail: never renumber.
enum class Code : std::uint16_t {
  ok = 0,

  // Answers of a pair to a requester.
  busy = 1,              ///< a queue is full; come back after `retry_after_ms`
  not_primary = 2,       ///< this member isn't primary; the answer may name who is
  session_expired = 3,   ///< unknown session: open a new one
  sync_id_too_old = 4,   ///< below the session's window: its reply is no longer kept
  window_exceeded = 5,   ///< too far ahead of what the session has acknowledged
  too_large = 6,         ///< above a named size limit
  wrong_cluster = 7,     ///< addressed to another cluster
  unknown_pair = 8,      ///< no such pair here
  wrong_version = 9,     ///< the peer speaks another protocol version
  malformed = 10,        ///< can't be parsed
  quarantined = 11,      ///< this request killed or hung a member before; it won't be tried again
  aborted = 12,          ///< the service threw; nothing was changed
  tombstone = 13,        ///< its caller asked for the outcome first, so it will never execute
  deadline_exceeded = 14,  ///< dropped before execution: its deadline had passed
  in_doubt = 15,         ///< the caller's deadline passed with the request on its way
  full = 16,             ///< the disk or the quota is full; reads go on, and requests that free space
  stopping = 17,         ///< this process is shutting down

  // Answers of a service (not errors of the pair; stored like any reply).
  not_found = 32,
  already_exists = 33,
  precondition_failed = 34,
  invalid_argument = 35,
  insufficient = 36,     ///< e.g. not enough funds
  forbidden = 37,
  conflict = 38,         ///< e.g. a parent that does not exist

  // The world.
  io_error = 64,
  disk_full = 65,
  damaged = 66,          ///< a checksum or the chain hash does not fit
  in_use = 67,           ///< another process holds it
  unreachable = 68,
  bad_config = 69,
  unsupported = 70,
  gone = 71,             ///< no longer kept (archived, trimmed)
  witness_refused = 72,  ///< the witness changed or went back in time (I13)
};

/// The table's word for a code, as in the enumerator: stable, for logs and JSON.
std::string_view to_string(Code code);
/// What the caller is to do.
Duty duty(Code code);

struct Error {
  Code code = Code::ok;
  std::string text;  ///< one plain sentence: what is wrong and what to do
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Code code, std::string text) {
  return std::unexpected(Error{code, std::move(text)});
}

}  // namespace pollux
