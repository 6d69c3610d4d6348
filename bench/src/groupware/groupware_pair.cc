#include "groupware/groupware_pair.h"

#include <sys/wait.h>

#include <charconv>
#include <fstream>
#include <iterator>

#include "groupware/groupware_items.h"
#include "http/http_load.h"
#include "http/http_socket.h"
#include "pollux/services/node.h"
#include "run/format.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds in_sync_limit(120), settle_limit(120), command_limit(60);
constexpr unsigned loading_connections = 32;
constexpr std::size_t user_tells_bytes = 300;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<void> make_collection(const ServerUnderTest& server, std::string_view collection) {
  const auto answer =
      HttpConnection(server.address).call(server.request("MKCALENDAR", server.collection_path(collection)));
  if (!answer) return std::unexpected(answer.error());
  if (answer->head.status == 201) return {};
  return fail(Code::invalid_argument, server.name + " does not make the calendar " + std::string(collection) +
                                          ": status " + std::to_string(answer->head.status));
}

Result<void> store(const ServerUnderTest& server, std::string_view collection, std::uint64_t count,
                   Progress& progress, const std::function<std::string(std::uint64_t)>& name,
                   const std::function<std::string(std::uint64_t)>& text) {
  if (auto made = make_collection(server, collection); !made) return made;
  HttpLoadOptions load{.address = server.address, .connections = loading_connections};
  load.request = [&](std::uint64_t n, HttpRequest& into) {
    into.expected.statuses = {201};
    into.bytes = server.request("PUT", server.path(collection, name(n)), text(n),
                                "Content-Type: text/calendar; charset=utf-8\r\n");
  };
  load.warm_up = {};
  load.duration = load.duration_max = std::chrono::hours(1);
  load.requests_max = count;
  load.stop = &InterruptGuard::flag();
  load.progress = [&](std::uint64_t answered) {
    progress.detail(std::string(collection) + ", " + count_text(answered) + " of " + count_text(count));
  };
  const auto result = run_http_load(load);
  if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
  if (result.answered == count) return {};
  return fail(Code::invalid_argument,
              server.name + " did not store what it was given: " + result.first_error);
}

}  // namespace

Result<void> store_everything(const ServerUnderTest& server, std::uint64_t events, Progress& progress) {
  for (const auto bytes : item_sizes) {
    const auto text = [bytes](std::uint64_t n) { return item_text(bytes, n); };
    if (auto done = store(server, item_collection(bytes), items_each, progress, item_name, text); !done)
      return done;
  }
  const auto small = [](std::uint64_t n) { return item_text(item_sizes[0], n); };
  if (auto done = store(server, changed_collection, items_each, progress, item_name, small); !done)
    return done;
  if (auto made = make_collection(server, new_collection); !made) return made;
  return store(server, event_collection, events, progress, event_name,
               [](std::uint64_t n) { return event_text(n); });
}

Result<std::unique_ptr<GroupwarePair>> GroupwarePair::start(const GroupwarePairOptions& options,
                                                            Progress& progress) {
  progress.phase("starting a groupware pair with its gateway");
  std::unique_ptr<GroupwarePair> pair(new GroupwarePair);
  auto spawned = SpawnedPair::start(
      {.command = options.command,
       .parent = options.parent,
       .service = "groupware",
       .pair_settings = options.pair_settings,
       .node_settings = "",
       .more_settings = "[[gateway]]\nlisten = \"127.0.0.1:0\"\n" + options.gateway_settings,
       .cpus_a = {},
       .cpus_b = {},
       .environment = {},
       .member_settings_a = "",
       .member_settings_b = "",
       .cgroup_doors = options.cgroup_doors});
  if (!spawned) return std::unexpected(spawned.error());
  pair->spawned_ = std::move(*spawned);
  const auto& config = pair->spawned_->config();
  const auto serves = [&] {
    return (pair->spawned_->in_sync() && !gateway_address(config, config.gateways.front()).empty()) ||
           !pair->spawned_->node()->running();
  };
  const bool up = SpawnedPair::wait_until(serves, in_sync_limit, &InterruptGuard::flag());
  if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
  if (!up || !pair->spawned_->node()->running())
    return fail(Code::unreachable, "the pair did not come up: " + pair->spawned_->describe());
  if (auto added = pair->add_user(options.command); !added) return std::unexpected(added.error());
  pair->server_ = {.name = "pollux",
                   .version = "",
                   .how = "a pair, durability both, confirmed reads, one gateway, Basic authentication",
                   .address = gateway_address(config, config.gateways.front()),
                   .authorization = basic_authorization(BenchLogin::user, BenchLogin::password),
                   .root = "/dav/calendars/" + std::string(BenchLogin::user) + "/"};
  progress.phase("storing items and " + count_text(options.events) + " events");
  if (auto stored = store_everything(pair->server_, options.events, progress); !stored)
    return std::unexpected(stored.error());
  return pair;
}

Result<void> GroupwarePair::add_user(const std::string& command) {
  const auto input = spawned_->home() / "password", output = spawned_->home() / "user.out";
  std::ofstream(input) << BenchLogin::password << "\n";
  auto child = ChildProcess::start({.argv = {command, "--config", spawned_->config_file().string(), "user",
                                             "add", std::string(BenchLogin::user)},
                                    .environment = {},
                                    .input = input,
                                    .output = output});
  if (!child) return std::unexpected(child.error());
  const auto status = (*child)->wait(command_limit);
  if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return {};
  return fail(Code::invalid_argument, "can't add a user: " + text_of(output).substr(0, user_tells_bytes));
}

pid_t GroupwarePair::gateway_pid() const {
  const auto& config = spawned_->config();
  const auto text = text_of(config.data / "run" / (config.gateways.front().name + ".lock"));
  pid_t pid = 0;
  constexpr std::string_view before = "pid=";
  if (text.starts_with(before)) std::from_chars(text.data() + before.size(), text.data() + text.size(), pid);
  return pid;
}

GroupwareCheck GroupwarePair::check() {
  GroupwareCheck check;
  check.trails_equal =
      SpawnedPair::wait_until([this] { return spawned_->settled(); }, settle_limit, &InterruptGuard::flag());
  if (const auto a = spawned_->status(0)) check.lsn = a->committed;
  if (!check.trails_equal)
    check.wrong = "the members' trails are not equal at the end: " + spawned_->describe();
  return check;
}

}  // namespace pollux
