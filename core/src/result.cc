#include "pollux/core/result.h"

namespace pollux {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::ok: return "ok";
    case Code::busy: return "busy";
    case Code::not_primary: return "not_primary";
    case Code::session_expired: return "session_expired";
    case Code::sync_id_too_old: return "sync_id_too_old";
    case Code::window_exceeded: return "window_exceeded";
    case Code::too_large: return "too_large";
    case Code::wrong_cluster: return "wrong_cluster";
    case Code::unknown_pair: return "unknown_pair";
    case Code::wrong_version: return "wrong_version";
    case Code::malformed: return "malformed";
    case Code::quarantined: return "quarantined";
    case Code::aborted: return "aborted";
    case Code::tombstone: return "tombstone";
    case Code::deadline_exceeded: return "deadline_exceeded";
    case Code::in_doubt: return "in_doubt";
    case Code::full: return "full";
    case Code::stopping: return "stopping";
    case Code::not_found: return "not_found";
    case Code::already_exists: return "already_exists";
    case Code::precondition_failed: return "precondition_failed";
    case Code::invalid_argument: return "invalid_argument";
    case Code::insufficient: return "insufficient";
    case Code::forbidden: return "forbidden";
    case Code::conflict: return "conflict";
    case Code::io_error: return "io_error";
    case Code::disk_full: return "disk_full";
    case Code::damaged: return "damaged";
    case Code::in_use: return "in_use";
    case Code::unreachable: return "unreachable";
    case Code::bad_config: return "bad_config";
    case Code::unsupported: return "unsupported";
    case Code::gone: return "gone";
    case Code::witness_refused: return "witness_refused";
  }
  return "unknown";
}

Duty duty(Code code) {
  switch (code) {
    case Code::ok: return Duty::none;
    case Code::busy:
    case Code::not_primary:
    case Code::deadline_exceeded:
    case Code::full:
    case Code::stopping:
    case Code::unreachable: return Duty::retry;
    case Code::in_doubt: return Duty::ask;
    default: return Duty::give_up;
  }
}

}  // namespace pollux
