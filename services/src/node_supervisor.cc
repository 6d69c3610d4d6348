#include "node_supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <cerrno>

#include "clocks.h"
#include "text.h"

namespace pollux {

namespace {

constexpr std::chrono::milliseconds log_check_every{2000};

}  // namespace

NodeSupervisor::NodeSupervisor(const Config& config, const NodeOptions& options)
    : config_(config), options_(options), started_(iso_time(read_clocks().wall)) {
  for (const PairConfig& pair : config.pairs) {
    for (const MemberConfig& member : pair.members) {
      children_.push_back(Child::member(config, pair, member, options.command));
    }
  }
  for (const GatewayConfig& gateway : config.gateways) {
    children_.push_back(Child::gateway(config, gateway, options.command));
  }
}

NodeSupervisor::~NodeSupervisor() {
  watch_ = {};
  control_.reset();
}

Result<void> NodeSupervisor::open(const std::vector<int>& signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (int number : signals) ::sigaddset(&set, number);
  signals_ = FileDescriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  wake_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!signals_.valid() || !wake_.valid()) return fail_errno("can't wait for events", errno);
  if (options_.child_line) {
    log_changes_ = FileDescriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    const std::filesystem::path logs = config_.data / "log";
    if (!log_changes_.valid() || ::inotify_add_watch(log_changes_.get(), logs.c_str(), IN_MODIFY) < 0) {
      return fail_errno(cat("can't watch ", logs), errno);
    }
  }
  auto control = ControlServer::open(
      node_control(config_), [this](const std::string& line, const auto& reply) { on_command(line, reply); });
  if (!control) return std::unexpected(control.error());
  control_ = std::move(*control);
  return {};
}

int NodeSupervisor::run() {
  start_all();
  watch_ = std::jthread([this](const std::stop_token& stop) { watch_until_ready(stop); });
  while (stop_stage_ < stop_stages) {
    wait_for_events();
    on_order();
    if (stop_stage_ < 0) {
      start_due();
    } else {
      go_on_stopping();
    }
    reports_.remove_if([](const Report& report) { return report.done.load(); });
  }
  watch_ = {};
  control_.reset();
  look_after_logs();
  return NodeExit::stopped;
}

void NodeSupervisor::start_all() {
  const std::scoped_lock lock(mutex_);
  for (Child& child : children_) {
    if (log_changes_.valid()) child.log.follow_from_end();
    if (child.adopt()) {
      say(cat(child.name, ": goes on as process ", child.pid, " (outlived the former node)"));
    } else {
      start_child(child);
    }
  }
}

void NodeSupervisor::say(const std::string& line) {
  const std::scoped_lock lock(say_mutex_);
  if (options_.say) options_.say(line);
}

int NodeSupervisor::timeout_ms() const {
  using std::chrono::milliseconds;
  auto wait = log_check_every;
  const auto until = [&](Clock::time_point when) {
    const auto left = std::chrono::ceil<milliseconds>(when - Clock::now());
    wait = std::clamp(left, milliseconds(0), wait);
  };
  for (const Child& child : children_) {
    if (child.state == ChildState::waiting) until(child.start_at);
  }
  if (stop_stage_ >= 0 && stage_begun_) until(stage_deadline_);
  if (stop_stage_ >= 0 && !stage_begun_) wait = milliseconds(0);
  return static_cast<int>(wait.count());
}

void NodeSupervisor::wait_for_events() {
  std::vector<pollfd> waits = {{signals_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  std::vector<Child*> watched;
  for (Child& child : children_) {
    if (!child.alive()) continue;
    watched.push_back(&child);
    waits.push_back({child.pidfd(), POLLIN, 0});
  }
  if (log_changes_.valid()) waits.push_back({log_changes_.get(), POLLIN, 0});
  const int ready = ::poll(waits.data(), waits.size(), timeout_ms());
  if (ready > 0) {
    std::vector<Child*> dead;
    for (std::size_t i = 0; i < watched.size(); ++i) {
      if (waits[i + 2].revents != 0) dead.push_back(watched[i]);
    }
    on_deaths(dead);  // first: a backup may be waiting for the report
    if (waits[0].revents != 0) on_signal();
  }
  look_after_logs();
}

void NodeSupervisor::on_signal() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (stop_stage_ < 0) {
      begin_stop(cat("stopping (", std::string_view(::strsignal(static_cast<int>(info.ssi_signo))),
                     "); once more to kill at once"));
    } else {
      kill_all();
    }
  }
}

void NodeSupervisor::on_order() {
  std::uint64_t ignored = 0;
  while (::read(wake_.get(), &ignored, sizeof ignored) > 0) {
  }
  std::deque<Order> orders;
  {
    const std::scoped_lock lock(mutex_);
    orders.swap(orders_);
  }
  for (const Order& order : orders) {
    if (order.stop && stop_stage_ < 0) begin_stop("stopping, as ordered");
    const std::scoped_lock lock(mutex_);
    const auto child = std::ranges::find(children_, order.restart, &Child::name);
    if (child == children_.end() || stop_stage_ >= 0) continue;
    child->policy.forget();
    if (child->alive()) {
      child->restart_ordered = true;
      child->send_signal(child->is_gateway ? SIGTERM : SIGUSR1);  // SIGUSR1: its peer goes on
    } else {
      child->state = ChildState::waiting;
      child->start_at = Clock::now();
    }
  }
}

void NodeSupervisor::start_due() {
  const std::scoped_lock lock(mutex_);
  for (Child& child : children_) {
    if (child.state == ChildState::waiting && child.start_at <= Clock::now()) {
      ++child.restarts;
      start_child(child);
    }
  }
}

void NodeSupervisor::look_after_logs() {
  if (log_changes_.valid()) {
    alignas(inotify_event) char events[4096];
    while (::read(log_changes_.get(), events, sizeof events) > 0) {
    }
    for (Child& child : children_) {
      while (child.log.read_lines([&](std::string_view line) {
        const std::scoped_lock lock(say_mutex_);
        options_.child_line(child.name, line);
      })) {
      }
    }
  }
  for (Child& child : children_) child.log.rotate();
}

}  // namespace pollux
