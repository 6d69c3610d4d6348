// The orderly end: gateways first, so that no client's request is cut; then all members at once. A primary
// whose backup stopped before it would still win a configuration of its own, solo: only its files could bring
// the pair up again, whatever the backup's hold. Stopped together both stay named, and either can lead.
#include <signal.h>

#include <algorithm>

#include "node_messages.h"
#include "node_supervisor.h"
#include "text.h"

namespace pollux {

void NodeSupervisor::begin_stop(const std::string& why) {
  say(why);
  const std::scoped_lock lock(mutex_);
  stop_stage_ = 0;
  stage_begun_ = false;
  for (Child& child : children_) {
    child.stop_listening();
    if (!child.alive()) child.state = ChildState::stopped;
  }
}

std::vector<Child*> NodeSupervisor::stop_stage(int stage) {
  std::vector<Child*> out;
  for (Child& child : children_) {
    if (!child.alive()) continue;
    if (stage > 0 || child.is_gateway) out.push_back(&child);
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
