#include "pollux/bench/spawned_pair.h"

#include <csignal>
#include <fstream>
#include <thread>
#include <utility>

#include "pollux/bench/histogram.h"
#include "pollux/core/check.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds stop_limit(30);
constexpr std::chrono::milliseconds ask_again_after(10);

std::string cpu_line(const std::vector<int>& cpus) {
  if (cpus.empty()) return "";
  std::string list;
  for (const int cpu : cpus) list += (list.empty() ? "" : ", ") + std::to_string(cpu);
  return "cpus = [" + list + "]\n";
}

}  // namespace

SpawnedPair::SpawnedPair(SpawnedPairOptions options, std::unique_ptr<TemporaryDirectory> home)
    : options_(std::move(options)), home_(std::move(home)) {}

Result<std::unique_ptr<SpawnedPair>> SpawnedPair::start(const SpawnedPairOptions& options) {
  auto home = TemporaryDirectory::make(options.parent, "pollux-pair-");
  if (!home) return std::unexpected(home.error());
  std::unique_ptr<SpawnedPair> pair(new SpawnedPair(options, std::move(*home)));
  if (auto written = pair->write_config(); !written) return std::unexpected(written.error());
  auto config = load_config(pair->config_file());
  if (!config) return std::unexpected(config.error());
  pair->config_ = std::move(*config);
  if (auto prepared = prepare_data_directory(pair->config_); !prepared)
    return std::unexpected(prepared.error());
  if (auto started = pair->start_node(); !started) return std::unexpected(started.error());
  return pair;
}

SpawnedPair::~SpawnedPair() {
  stop();
  // Below a long path the sockets are in a directory of their own under /tmp, which the home does not take
  // along.
  if (kept_ || config_.run.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(config_.run, ignored);
}

Result<void> SpawnedPair::write_config() const {
  std::ofstream file(config_file());
  file << "cluster = \"spawned\"\ndata = \"data\"\n\n[node]\n"
       << options_.node_settings << "\n[[pair]]\nname = \"" << options_.service << "\"\nservice = \""
       << options_.service << "\"\n"
       << options_.pair_settings << "\n[[pair.member]]\nname = \"a\"\n"
       << cpu_line(options_.cpus_a) << options_.member_settings_a << "\n[[pair.member]]\nname = \"b\"\n"
       << cpu_line(options_.cpus_b) << options_.member_settings_b << "\n"
       << options_.more_settings;
  file.close();
  if (!file) return fail(Code::io_error, "can't write " + config_file().string() + "; is the disk full?");
  return {};
}

Result<void> SpawnedPair::start_node() {
  POLLUX_CHECK(!node_ || !node_->running());
  std::vector<std::string> argv = {options_.command, "--config", config_file().string(), "node"};
  if (!options_.cgroup_doors.empty()) {
    // The shell is in the groups before it becomes the node.
    std::vector<std::string> shell = {
        "/bin/sh", "-c",
        "n=$1; shift; while [ $n -gt 0 ]; do echo $$ > \"$1\" || exit 1; shift; n=$((n-1)); "
        "done; exec \"$@\"",
        "sh", std::to_string(options_.cgroup_doors.size())};
    for (const auto& door : options_.cgroup_doors) shell.push_back(door.string());
    argv.insert(argv.begin(), shell.begin(), shell.end());
  }
  auto node =
      ChildProcess::start({.argv = argv, .environment = options_.environment, .output = node_output()});
  if (!node) return std::unexpected(node.error());
  node_ = std::move(*node);
  return {};
}

const std::filesystem::path& SpawnedPair::control(std::size_t member) const {
  return pair().members.at(member).control;
}

Result<MemberStatus> SpawnedPair::status(std::size_t member) const {
  return ask_member_status(control(member));
}

Result<std::size_t> SpawnedPair::primary() const {
  for (const std::size_t member : {0, 1}) {
    const auto told = status(member);
    if (told && told->role == "primary" && told->serving) return member;
  }
  return fail(Code::not_primary, "no member serves: " + describe());
}

bool SpawnedPair::in_sync() const {
  const auto a = status(0), b = status(1);
  if (!a || !b) return false;
  const auto& primary = a->role == "primary" ? *a : *b;
  const auto& backup = a->role == "primary" ? *b : *a;
  return primary.role == "primary" && primary.serving && !primary.solo && !primary.joining &&
         backup.role == "backup" && primary.backup_run == backup.run && primary.epoch == backup.epoch;
}

bool SpawnedPair::settled() const {
  if (!in_sync()) return false;
  const auto a = status(0), b = status(1);
  const auto all = [](const MemberStatus& member) {
    return member.durable == member.committed && member.applied == member.committed;
  };
  return a && b && all(*a) && all(*b) && a->committed == b->committed &&
         a->committed_hash == b->committed_hash;
}

std::string SpawnedPair::describe() const {
  std::string text;
  for (const std::size_t member : {0, 1}) {
    const auto told = status(member);
    if (!text.empty()) text += "; ";
    text += pair().members[member].name + ": ";
    if (!told) {
      text += told.error().text;
      continue;
    }
    text += told->role + (told->serving ? ", serving" : "") + (told->solo ? ", solo" : "") + ", epoch " +
            std::to_string(told->epoch) + ", durable " + std::to_string(told->durable) + ", committed " +
            std::to_string(told->committed) + ", applied " + std::to_string(told->applied) + ", reason \"" +
            told->reason + "\"" + (told->waiting_for.empty() ? "" : ", waiting for " + told->waiting_for);
  }
  return text;
}

bool SpawnedPair::wait_until(const std::function<bool()>& condition, std::chrono::milliseconds limit,
                             const std::atomic<bool>* stop) {
  const auto until = monotonic_ns() + std::chrono::nanoseconds(limit).count();
  while (!condition()) {
    if (monotonic_ns() >= until || (stop != nullptr && *stop)) return false;
    std::this_thread::sleep_for(ask_again_after);
  }
  return true;
}

void SpawnedPair::keep_directory() {
  kept_ = true;
  home_->keep();
}

void SpawnedPair::stop() {
  if (node_ && node_->running()) {
    node_->signal(SIGTERM);
    node_->wait(stop_limit);
  }
  node_.reset();
  // Members whose supervisor was killed, or that hang. The directory's name is like no other's.
  for (const pid_t pid : processes_with_argument(options_.command, home().string()))
    kill_and_wait(pid, stop_limit);
}

}  // namespace pollux
