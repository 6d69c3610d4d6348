// Which configuration a command works on, and what its pairs' members say.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "json.h"
#include "pollux/core/result.h"
#include "pollux/ipc/requester.h"
#include "pollux/services/config.h"

namespace pollux {

/// Options that every subcommand takes.
struct Globals {
  std::string config, data, listen;
};

struct Located {
  Config config;
  /// What makes another `pollux` find the same configuration.
  std::vector<std::string> arguments;
};

/// --config, else --data, else $POLLUX_CONFIG, ./pollux.toml, ./pollux-data, /etc/pollux/pollux.toml; for
/// `up`
/// (`or_default`) ./pollux-data even if it is not there yet.
Result<Located> locate(const Globals& globals, bool or_default = false);
/// The same, with the cluster id: for commands that talk to a pair. The data directory must exist.
Result<Located> locate_running(const Globals& globals);

/// The pair of this name; if `name` is empty, the only one. `unknown_pair` with those that there are.
Result<const PairConfig*> choose_pair(const Config& config, const std::string& name);
/// The member of this name; `not_found` with those that there are.
Result<const MemberConfig*> choose_member(const PairConfig& pair, const std::string& name);
/// The only pair with this service, or the one named.
Result<const PairConfig*> choose_pair_of(const Config& config, const std::string& service,
                                         const std::string& name);

/// One question on a control socket, answered by one line; an error line becomes the Result's error.
Result<Json> ask(const std::filesystem::path& control, const std::string& command,
                 std::chrono::milliseconds timeout);
/// Many lines: `line` gets each, the last included, until it returns false.
Result<void> ask_stream(const std::filesystem::path& control, const std::string& command,
                        std::chrono::milliseconds timeout, const std::function<bool(const Json& line)>& line);

/// The members' status lines, asked at the same time, in the order of the configuration.
std::vector<Result<Json>> ask_members(const PairConfig& pair);
/// The member that is primary and serves.
Result<const MemberConfig*> find_primary(const PairConfig& pair);

/// A requester of the pair, with one line of advice in its errors.
Result<std::unique_ptr<Requester>> connect(const Config& config, const PairConfig& pair,
                                           std::chrono::milliseconds deadline);
Error error_of(const CallError& error, const PairConfig& pair);

/// Path of the running program, to start it again.
std::string program_path();

}  // namespace pollux
