// What follows a child's death: the report to its peer, at once, and then its restart.
#include <algorithm>

#include "node_messages.h"
#include "node_supervisor.h"
#include "text.h"

namespace pollux {

namespace {

constexpr std::chrono::milliseconds report_timeout{1000};
constexpr int report_attempts = 3;
constexpr std::chrono::milliseconds report_pause{50};

}  // namespace

void NodeSupervisor::on_deaths(const std::vector<Child*>& dead) {
  for (const Child* child : dead) report(*child);
  const std::scoped_lock lock(mutex_);
  for (Child* child : dead) on_death(*child);
}

/// The run's id stands in the lock file of the dead; it is nobody else's before the restart below.
void NodeSupervisor::report(const Child& dead) {
  if (dead.is_gateway) return;
  const LockText text = read_lock_text(dead.lock_file);
  if (text.pid != dead.pid || text.run.none())
    return;  // it died before it had locked: nobody can have heard of it
  const auto peer = std::ranges::find_if(children_, [&](const Child& other) {
    return !other.is_gateway && other.pair == dead.pair && other.member_name != dead.member_name;
  });
  if (peer == children_.end() || !peer->alive()) return;
  Report& report = reports_.emplace_back();
  report.thread = std::jthread([control = peer->control, text, &done = report.done] {
    for (int attempt = 0; attempt < report_attempts; ++attempt) {
      if (report_death(control, text.run, text.boot, report_timeout)) break;
      std::this_thread::sleep_for(report_pause);
    }
    done = true;
  });
}

void NodeSupervisor::on_death(Child& child) {
  const auto lived = child.lived();
  const ChildEnd end = child.reap();
  child.last_end = to_string(end);
  if (stop_stage_ >= 0) {
    child.state = ChildState::stopped;
    return;
  }
  if (child.restart_ordered) {
    child.state = ChildState::waiting;
    child.start_at = Clock::now();
    say(cat(child.name, ": stopped for its restart"));
    return;
  }
  constexpr int in_use = NodeExit::in_use;
  if (end.code == in_use && child.adopt()) {
    say(cat(child.name, ": goes on as process ", child.pid, ", which was there already"));
    return;
  }
  const RestartPolicy::Verdict verdict = child.policy.ended(end, lived);
  child.advice = verdict.advice;
  const std::string because = cat(child.name, " (process ", child.pid, ") ended: ", child.last_end);
  if (!verdict.again) {
    child.state = ChildState::held;
    child.stop_listening();
    say(cat(because, "; not started again: ", verdict.advice, " (log: ", child.log.file(), ")"));
    return;
  }
  child.state = ChildState::waiting;
  child.start_at = Clock::now() + verdict.pause;
  say(cat(
      because, "; starting it again in ", verdict.pause.count(), " ms",
      verdict.advice.empty() ? std::string() : cat(": ", verdict.advice, " (log: ", child.log.file(), ")")));
}

void NodeSupervisor::start_child(Child& child) {
  child.log.rotate();
  if (Result<void> started = child.start(); started) {
    say(cat(child.name, ": started as process ", child.pid));
  } else {
    const RestartPolicy::Verdict verdict = child.policy.ended({}, {});
    child.state = ChildState::waiting;
    child.start_at = Clock::now() + verdict.pause;
    child.last_end = started.error().text;
    say(cat(child.name, ": ", started.error().text, "; trying again in ", verdict.pause.count(), " ms"));
  }
}

}  // namespace pollux
