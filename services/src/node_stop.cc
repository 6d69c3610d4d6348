// The orderly end: gateways first, so that no client's request is cut; then backups; then primaries, which so
// have nobody to hand over to, and need not.
#include <signal.h>

#include <algorithm>

#include "node_messages.h"
#include "node_supervisor.h"
#include "text.h"

namespace pollux {

namespace {

constexpr std::chrono::milliseconds role_timeout{300};

}  // namespace

void NodeSupervisor::begin_stop(const std::string& why) {
  say(why);
  const std::scoped_lock lock(mutex_);
  stop_stage_ = 0;
  stage_begun_ = false;
  for (Child& child : children_) {
    if (!child.alive()) child.state = ChildState::stopped;
  }
}

std::vector<Child*> NodeSupervisor::stop_stage(int stage) {
  std::vector<Child*> out;
  for (Child& child : children_) {
    if (!child.alive()) continue;
    if (stage == 0 && !child.is_gateway) continue;
    if (stage == 1) {
      // A member that does not answer is no working primary: it goes with the backups.
      const std::optional<MemberRole> role = ask_role(child.control, role_timeout);
      if (role && (role->role == "primary" || role->role == "leading")) continue;
    }
    out.push_back(&child);
  }
  return out;
}

void NodeSupervisor::go_on_stopping() {
  if (!stage_begun_) {
    const std::vector<Child*> stage = stop_stage(stop_stage_);
    const std::scoped_lock lock(mutex_);
    stage_names_.clear();
    for (const Child* child : stage) {
      stage_names_.push_back(child->name);
      child->send_signal(SIGTERM);
    }
    stage_begun_ = true;
    killed_ = false;
    stage_deadline_ = Clock::now() + std::chrono::milliseconds(config_.node.stop_limit_ms);
  }
  std::vector<Child*> left;
  for (Child& child : children_) {
    if (child.alive() && std::ranges::find(stage_names_, child.name) != stage_names_.end())
      left.push_back(&child);
  }
  const std::scoped_lock lock(mutex_);
  if (left.empty()) {
    ++stop_stage_;
    stage_begun_ = false;
    return;
  }
  if (Clock::now() < stage_deadline_) return;
  for (const Child* child : left) {
    say(killed_ ? cat(child->name, ": process ", child->pid, " does not end even when killed; left alone")
                : cat(child->name, ": has not stopped within ", config_.node.stop_limit_ms, " ms; killed"));
    child->send_signal(SIGKILL);
  }
  if (killed_) {
    stage_names_.clear();  // a process that waits for a dead disk: the next node will find it by its lock
  }
  killed_ = true;
  stage_deadline_ = Clock::now() + std::chrono::milliseconds(config_.node.stop_limit_ms);
}

void NodeSupervisor::kill_all() {
  say("killing what is left");
  for (const Child& child : children_) child.send_signal(SIGKILL);
}

}  // namespace pollux
