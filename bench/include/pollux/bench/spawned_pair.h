// A real pair of member processes under a real node supervisor, in a temporary directory: started, watched,
// harmed and removed. Benchmarks, drills and integration tests share it.
//
// It runs the `pollux` command, as a user would, and learns everything from the control sockets.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pollux/bench/child_process.h"
#include "pollux/bench/member_status.h"
#include "pollux/services/config.h"

namespace pollux {

struct SpawnedPairOptions {
  std::string command;                   ///< path of `pollux`
  std::filesystem::path parent;          ///< the temporary directory is made here: choose the disk
  std::string service = "ledger";        ///< the pair has this name, too
  std::string pair_settings;             ///< more lines for the pair's table of the configuration file
  std::string node_settings;             ///< more lines for the node's table
  std::string more_settings;             ///< more tables, e.g. a gateway
  std::vector<int> cpus_a, cpus_b;       ///< empty: all
  std::vector<std::string> environment;  ///< NAME=value, for the node and its children
  std::string member_settings_a, member_settings_b;  ///< more lines for a member's table
  /// Files of cgroups that the node writes its process id to before it starts: it and its children are in
  /// them.
  std::vector<std::filesystem::path> cgroup_doors;
};

class SpawnedPair {
 public:
  /// Makes the directory and the configuration file, and starts the node. Does not wait for the pair to
  /// serve.
  static Result<std::unique_ptr<SpawnedPair>> start(const SpawnedPairOptions& options);
  /// Ends every process that works in the directory, and removes it with the directory of its sockets.
  ~SpawnedPair();

  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] const PairConfig& pair() const { return config_.pairs.front(); }
  [[nodiscard]] const std::filesystem::path& home() const { return home_->path(); }
  [[nodiscard]] std::filesystem::path config_file() const { return home() / "pollux.toml"; }
  [[nodiscard]] std::filesystem::path node_output() const { return home() / "node.out"; }
  [[nodiscard]] PairAddress address() const { return config_.address(pair()); }

  /// Member "a" is 0, "b" is 1.
  [[nodiscard]] Result<MemberStatus> status(std::size_t member) const;
  [[nodiscard]] const std::filesystem::path& control(std::size_t member) const;
  /// The member that is primary and serves; none right now: an error.
  [[nodiscard]] Result<std::size_t> primary() const;
  /// Both are there, one is primary and serves with the other as its backup.
  [[nodiscard]] bool in_sync() const;
  /// In sync, everything committed, and both have it at the same LSN with the same chain hash, applied.
  [[nodiscard]] bool settled() const;
  /// Both members' states in one line, to explain what was waited for in vain.
  [[nodiscard]] std::string describe() const;

  /// Asks `condition` again and again (it may talk to the members), until it holds; false after `limit`, or
  /// once `stop` is true.
  static bool wait_until(const std::function<bool()>& condition, std::chrono::milliseconds limit,
                         const std::atomic<bool>* stop = nullptr);

  [[nodiscard]] ChildProcess* node() { return node_.get(); }
  /// Starts the node again, after it was killed: it adopts the members that outlived it.
  Result<void> start_node();
  /// SIGTERM, and waits; then SIGKILL for whatever is left.
  void stop();
  /// For a look at what went wrong: the destructor removes nothing.
  void keep_directory();

 private:
  SpawnedPair(SpawnedPairOptions options, std::unique_ptr<TemporaryDirectory> home);
  Result<void> write_config() const;
  SpawnedPairOptions options_;
  std::unique_ptr<TemporaryDirectory> home_;
  Config config_;
  std::unique_ptr<ChildProcess> node_;
  bool kept_ = false;
};

}  // namespace pollux
