#include "health.h"

#include <algorithm>

namespace pollux {

namespace {

constexpr std::uint64_t status_age_ms_max = 2000;  // a member refreshes it every 100 ms

void complain_about_member(const std::string& name, const Json& member, PairHealth& out) {
  if (const std::string waiting = member.text("waiting_for"); !waiting.empty()) {
    out.complaints.push_back("member " + name + " waits for " + waiting);
  }
  if (member.flag("witness_refused")) {
    out.complaints.push_back(
        "member " + name +
        " refuses the witness: it changed, or went back in time. If that was meant: pollux witness adopt");
  }
  if (member.flag("disk_exhausted")) {
    out.complaints.push_back("member " + name +
                             ": its disk is full; all writes are answered `full` until there is room, deletions too");
  } else if (member.flag("disk_full")) {
    out.complaints.push_back("member " + name +
                             ": its disk is nearly full; writes but deletions are answered `full` until there is room");
  }
  if (member.number("age_ms") > status_age_ms_max) {
    out.complaints.push_back("member " + name + " makes no progress (its status is " +
                             std::to_string(member.number("age_ms")) + " ms old)");
  }
}

}  // namespace

std::string_view to_string(Health health) {
  switch (health) {
    case Health::healthy:
      return "healthy";
    case Health::degraded:
      return "degraded";
    case Health::down:
      return "down";
  }
  return "unknown";
}

PairHealth judge_pair(const std::vector<std::string>& names, const std::vector<Result<Json>>& members) {
  PairHealth out;
  bool whole = true;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i]) {
      whole = false;
      out.complaints.push_back("member " + names[i] +
                               (members[i].error().code == Code::deadline_exceeded
                                    ? " runs and does not answer: it hangs, or was stopped"
                                    : " does not answer: it is not running, or starts just now"));
      continue;
    }
    const Json& member = *members[i];
    const std::string role = member.text("role");
    if (role == "primary" && member.flag("serving")) {
      // Two can say so for a moment (I4 keeps the older one from acknowledging): the newer epoch is the
      // primary.
      const bool newer =
          out.primary < 0 ||
          member.number("epoch") > members[static_cast<std::size_t>(out.primary)]->number("epoch");
      if (newer) out.primary = static_cast<int>(i);
    } else if (role != "backup") {
      whole = false;
    }
    complain_about_member(names[i], member, out);
  }
  if (out.primary < 0) {
    out.health = Health::down;
    return out;
  }
  const Json& primary = *members[static_cast<std::size_t>(out.primary)];
  out.solo = primary.flag("solo");
  if (out.solo || !whole || !out.complaints.empty()) out.health = Health::degraded;
  return out;
}

}  // namespace pollux
