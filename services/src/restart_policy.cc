#include "restart_policy.h"

#include <algorithm>
#include <cstring>

#include "pollux/services/member.h"
#include "text.h"

namespace pollux {

namespace {

/// Codes after which starting again can't help, with what can.
std::string held_because(int code) {
  switch (code) {
    case MemberExit::usage:
      return "the supervisor and this program do not fit together: restart the node";
    case MemberExit::bad_config:
      return "correct the configuration (pollux config check), then: pollux restart NAME";
    case MemberExit::in_use:
      return "another process holds what it needs; its log names it. Stop that, then: pollux restart NAME";
    case MemberExit::damaged:
      return "a stored file can't be used; the last line of its log names it and says what to do. Then: "
             "pollux "
             "restart NAME";
    default:
      return {};
  }
}

}  // namespace

std::string to_string(const ChildEnd& end) {
  if (end.signal) return cat("signal ", *end.signal, " (", std::string_view(::strsignal(*end.signal)), ")");
  if (end.code) return cat("exit code ", *end.code);
  return "an unknown end";
}

RestartPolicy::Verdict RestartPolicy::ended(const ChildEnd& end, std::chrono::milliseconds lived) {
  using std::chrono::milliseconds;
  if (end.code) {
    if (std::string advice = held_because(*end.code); !advice.empty()) return {false, {}, std::move(advice)};
    if (*end.code == MemberExit::storage_failed) {
      return {true, milliseconds(limits_.storage_retry_ms),
              "its disk failed, hung or was full; its log says which. Free space or replace the disk"};
    }
  }
  if (lived >= milliseconds(limits_.healthy_after_ms)) deaths_ = 0;
  std::uint64_t pause = limits_.restart_min_ms;
  for (unsigned i = 0; i < deaths_ && pause < limits_.restart_max_ms; ++i) pause *= 2;
  ++deaths_;
  return {true, milliseconds(std::min(pause, limits_.restart_max_ms)), {}};
}

}  // namespace pollux
