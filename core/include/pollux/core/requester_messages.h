// What requesters ask a pair, and what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

/// Opens a session. `proposed` is random, made by the member's runtime; a retry may open a second session,
/// which then expires.
struct OpenSession {
  SessionId proposed;
  bool operator==(const OpenSession&) const = default;
};
struct CloseSession {
  SessionId session;
  bool operator==(const CloseSession&) const = default;
};
/// A request to be executed. `deadline` counts from its arrival.
struct Request {
  SyncId sync;
  std::uint64_t ack_below = 0;  ///< the requester has the replies of all seqs below
  std::uint64_t trace = 0;
  Duration deadline{};
  std::string payload;
  bool operator==(const Request&) const = default;
};
/// A query of committed state.
struct Query {
  std::uint64_t trace = 0;
  Duration deadline{};
  std::string payload;
  bool operator==(const Query&) const = default;
};
/// What became of a request? If it was never seen, it never will be executed (tombstone).
struct OutcomeAsk {
  SyncId sync;
  bool operator==(const OutcomeAsk&) const = default;
};
/// "I am here, tell me when a primary begins to serve." Also answered at once with `primary_is`.
struct RequesterHello {
  bool operator==(const RequesterHello&) const = default;
};

using RequesterBody = std::variant<OpenSession, CloseSession, Request, Query, OutcomeAsk, RequesterHello>;
struct RequesterMessage {
  ClusterId cluster;
  std::string pair;
  std::uint64_t number = 0;  ///< chosen by the requester; the answer repeats it
  RequesterBody body;
  bool operator==(const RequesterMessage&) const = default;
};

/// An answer. With number 0 it is news nobody asked for: `epoch` and `primary` tell who serves now.
struct RequesterReply {
  std::uint64_t number = 0;
  Code code = Code::ok;
  std::string payload;                  ///< the service's reply, or one sentence of text for an error
  Epoch epoch;
  std::optional<RunId> primary;         ///< the run that is primary, as far as this member knows
  bool serving = false;                 ///< this member is that primary and serves
  SessionId session;                    ///< of OpenSession
  std::uint32_t retry_after_ms = 0;     ///< with `busy`
  Lsn lsn;                              ///< of the record that made the reply; 0 if none
  bool operator==(const RequesterReply&) const = default;
};

}  // namespace pollux
