// What others ask of the node, and the watch that says when everything is up.
#include <unistd.h>

#include <algorithm>

#include "node_messages.h"
#include "node_supervisor.h"
#include "text.h"

namespace pollux {

namespace {

constexpr std::chrono::milliseconds watch_every{50};
constexpr std::chrono::milliseconds watch_timeout{500};

}  // namespace

void NodeSupervisor::on_command(const std::string& line, const ControlServer::Reply& reply) {
  const Result<NodeCommand> command = parse_node_command(line);
  if (!command) {
    reply(control_error_line(command.error()));
    return;
  }
  std::string answer;
  {
    const std::scoped_lock lock(mutex_);
    if (command->command == "status") {
      answer = node_status_line(config_, {started_, stop_stage_ >= 0, ready_}, children_);
    } else if (command->command == "stop") {
      orders_.push_back({.stop = true, .restart = {}});
      answer = node_answer_line("the node stops its children, then ends");
    } else if (command->command == "restart") {
      std::string known;
      for (const Child& child : children_) known += " " + child.name;
      if (std::ranges::find(children_, command->name, &Child::name) == children_.end()) {
        answer = control_error_line(
            {Code::not_found, cat("there is no \"", command->name, "\" here; known:", known)});
      } else if (stop_stage_ >= 0) {
        answer = control_error_line({Code::stopping, "the node is stopping"});
      } else {
        orders_.push_back({.stop = false, .restart = command->name});
        answer = node_answer_line(cat(command->name, " is stopped and started again"));
      }
    } else {
      answer = control_error_line({Code::invalid_argument, cat("unknown command \"", command->command,
                                                               "\"; a node knows: status, stop, restart")});
    }
  }
  const std::uint64_t one = 1;
  if (::write(wake_.get(), &one, sizeof one) < 0) return;  // full: the loop is awake already
  reply(answer);
}

bool NodeSupervisor::everything_serves() {
  for (const PairConfig& pair : config_.pairs) {
    if (std::ranges::none_of(pair.members, [](const MemberConfig& member) {
          const std::optional<MemberRole> role = ask_role(member.control, watch_timeout);
          return role && role->serving;
        })) {
      return false;
    }
  }
  return std::ranges::none_of(config_.gateways, [this](const GatewayConfig& gateway) {
    return gateway_address(config_, gateway).empty();
  });
}

void NodeSupervisor::watch_until_ready(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (everything_serves()) {
      {
        const std::scoped_lock lock(mutex_);
        ready_ = true;
      }
      if (options_.ready) options_.ready();
      return;
    }
    std::this_thread::sleep_for(watch_every);
  }
}

}  // namespace pollux
