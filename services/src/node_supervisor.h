// The node's state and its loop: one thread waits for deaths, signals and orders, and does all that follows.
// Other threads: one for each control connection, one until the node is ready, one for each death report.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "child.h"
#include "file_io.h"
#include "pollux/services/control.h"
#include "pollux/services/node.h"

namespace pollux {

class NodeSupervisor {
 public:
  using Clock = std::chrono::steady_clock;

  NodeSupervisor(const Config& config, const NodeOptions& options);
  ~NodeSupervisor();

  /// Opens the control socket and what the loop waits on. Signals must be blocked already.
  Result<void> open(const std::vector<int>& signals);
  /// Until all children have been stopped. Returns an exit code.
  int run();

 private:
  // node_supervisor.cc: the loop
  void start_all();
  void wait_for_events();
  void on_signal();
  void on_order();
  void start_due();
  void look_after_logs();
  [[nodiscard]] int timeout_ms() const;
  void say(const std::string& line);

  // node_deaths.cc: what follows a death
  void on_deaths(const std::vector<Child*>& dead);
  void on_death(Child& child);
  void report(const Child& dead);
  void start_child(Child& child);

  // node_stop.cc: the orderly end
  void begin_stop(const std::string& why);
  void go_on_stopping();
  [[nodiscard]] std::vector<Child*> stop_stage(int stage);
  void kill_all();

  // node_orders.cc: the control socket, and the watch for readiness
  void on_command(const std::string& line, const ControlServer::Reply& reply);
  void watch_until_ready(const std::stop_token& stop);
  [[nodiscard]] bool everything_serves();

  struct Report {
    std::atomic<bool> done{false};
    std::jthread thread;
  };

  const Config& config_;
  const NodeOptions& options_;
  std::string started_;

  std::mutex
      mutex_;  ///< guards children_, orders_, ready_, stop_stage_ between the loop and the other threads
  std::vector<Child> children_;
  struct Order {
    bool stop = false;
    std::string restart;  ///< a child's name
  };
  std::deque<Order> orders_;
  bool ready_ = false;

  static constexpr int stop_stages = 2;
  int stop_stage_ = -1;  ///< none; 0 gateways, 1 members, then done
  bool stage_begun_ = false;
  std::vector<std::string> stage_names_;  ///< children asked to stop in this stage
  Clock::time_point stage_deadline_{};
  bool killed_ = false;

  std::mutex say_mutex_;
  FileDescriptor signals_, wake_, log_changes_;
  std::list<Report> reports_;
  std::unique_ptr<ControlServer> control_;
  std::jthread watch_;
};

}  // namespace pollux
