// The node's JSON: commands it is given, its status, and what it asks of members. Keeps Boost.JSON in one
// file.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "child.h"
#include "pollux/core/result.h"
#include "pollux/core/types.h"
#include "pollux/services/config.h"

namespace pollux {

struct NodeCommand {
  std::string command, name;
};
Result<NodeCommand> parse_node_command(const std::string& line);

struct NodeStatus {
  std::string started;
  bool stopping = false, ready = false;
};
std::string node_status_line(const Config& config, const NodeStatus& status,
                             const std::vector<Child>& children);
/// {"text": ..., "done": true}
std::string node_answer_line(const std::string& text);

struct MemberRole {
  std::string role;
  bool serving = false;
};
/// None if the member does not answer in time.
std::optional<MemberRole> ask_role(const std::filesystem::path& control, std::chrono::milliseconds timeout);

/// Tells a member that `run` is dead (I8).
Result<void> report_death(const std::filesystem::path& control, const RunId& run, const BootId& boot,
                          std::chrono::milliseconds timeout);

}  // namespace pollux
