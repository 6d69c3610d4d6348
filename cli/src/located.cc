#include "located.h"

#include <unistd.h>

#include <cstdlib>
#include <future>

#include "pollux/services/control.h"
#include "service_list.h"

namespace pollux {

namespace {

constexpr std::chrono::milliseconds status_timeout{1500};
constexpr const char* default_data = "pollux-data";
constexpr const char* default_file = "pollux.toml";
constexpr const char* system_file = "/etc/pollux/pollux.toml";

Result<Located> from_file(const std::string& file) {
  Result<Config> config = load_config(file, {.services = service_names(), .faults = nullptr});
  if (!config) return std::unexpected(config.error());
  std::error_code error;
  return Located{std::move(*config), {"--config", std::filesystem::absolute(file, error).string()}};
}

Result<Located> from_data(const std::string& data, const std::string& listen) {
  Located out{default_config(data), {}};
  out.arguments = {"--data", out.config.data.string()};
  if (!listen.empty()) {
    out.config.gateways.at(0).listen = listen;
    out.arguments.insert(out.arguments.end(), {"--listen", listen});
    // The rules of a file hold for this address too.
    if (Result<void> checked = check_gateway_address(listen); !checked)
      return std::unexpected(checked.error());
  }
  return out;
}

bool there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

Result<Located> locate(const Globals& globals, bool or_default) {
  if (!globals.config.empty() && !globals.data.empty()) {
    return fail(Code::bad_config,
                "give --config or --data, not both: the configuration names its data directory");
  }
  if (!globals.config.empty() && !globals.listen.empty()) {
    return fail(Code::bad_config,
                "--listen is for the default configuration; set gateway.listen in the file");
  }
  if (!globals.config.empty()) return from_file(globals.config);
  if (!globals.data.empty()) return from_data(globals.data, globals.listen);
  if (const char* named = std::getenv("POLLUX_CONFIG"); named && *named) return from_file(named);
  if (there(default_file)) return from_file(default_file);
  if (or_default || there(default_data)) return from_data(default_data, globals.listen);
  if (there(system_file)) return from_file(system_file);
  return fail(
      Code::bad_config,
      "no configuration here: no ./pollux.toml, no ./pollux-data; name one with --config FILE or --data "
      "DIRECTORY, or start with: pollux up");
}

Result<Located> locate_running(const Globals& globals) {
  Result<Located> located = locate(globals);
  if (!located) return located;
  if (Result<void> opened = open_data_directory(located->config); !opened) {
    Error error = opened.error();
    if (error.code == Code::not_found) error.code = Code::bad_config;
    return std::unexpected(error);
  }
  return located;
}

Result<const PairConfig*> choose_pair(const Config& config, const std::string& name) {
  std::string known;
  for (const PairConfig& pair : config.pairs) known += " " + pair.name;
  if (name.empty()) {
    if (config.pairs.size() == 1) return &config.pairs.front();
    return fail(Code::unknown_pair, "which pair? There are:" + known);
  }
  if (const PairConfig* pair = config.find_pair(name)) return pair;
  return fail(Code::unknown_pair, "there is no pair \"" + name + "\"; there are:" + known);
}

Result<const MemberConfig*> choose_member(const PairConfig& pair, const std::string& name) {
  std::string known;
  for (const MemberConfig& member : pair.members) {
    if (member.name == name) return &member;
    known += " " + member.name;
  }
  return fail(Code::not_found, "pair " + pair.name + " has no member \"" + name + "\"; there are:" + known);
}

Result<const PairConfig*> choose_pair_of(const Config& config, const std::string& service,
                                         const std::string& name) {
  if (!name.empty()) {
    Result<const PairConfig*> pair = choose_pair(config, name);
    if (pair && (*pair)->service != service) {
      return fail(Code::unknown_pair,
                  "pair \"" + name + "\" runs the service " + (*pair)->service + ", not " + service);
    }
    return pair;
  }
  const PairConfig* found = nullptr;
  for (const PairConfig& pair : config.pairs) {
    if (pair.service != service) continue;
    if (found) return fail(Code::unknown_pair, "several pairs run " + service + "; name one with --pair");
    found = &pair;
  }
  if (!found) return fail(Code::unknown_pair, "no pair of this configuration runs the service " + service);
  return found;
}

Result<Json> ask(const std::filesystem::path& control, const std::string& command,
                 std::chrono::milliseconds timeout) {
  Json last;
  const Result<void> asked = ask_stream(control, command, timeout, [&](const Json& line) {
    last = line;
    return true;
  });
  if (!asked) return std::unexpected(asked.error());
  return last;
}

Result<void> ask_stream(const std::filesystem::path& control, const std::string& command,
                        std::chrono::milliseconds timeout,
                        const std::function<bool(const Json& line)>& line) {
  Result<void> outcome;
  const Result<void> called = control_call(control, command, timeout, [&](const std::string& text) {
    if (text.empty()) return true;
    const Result<Json> parsed = Json::parse(text);
    if (!parsed) {
      outcome = std::unexpected(parsed.error());
      return false;
    }
    if (parsed->has("error")) {
      outcome = fail(code_named(parsed->text("error.code")), parsed->text("error.text"));
      return false;
    }
    return line(*parsed);
  });
  return outcome ? called : outcome;
}

std::vector<Result<Json>> ask_members(const PairConfig& pair) {
  std::vector<std::future<Result<Json>>> asked;
  for (const MemberConfig& member : pair.members) {
    asked.push_back(std::async(std::launch::async, [control = member.control] {
      return ask(control, R"({"command":"status"})", status_timeout);
    }));
  }
  std::vector<Result<Json>> out;
  for (auto& one : asked) out.push_back(one.get());
  return out;
}

Result<const MemberConfig*> find_primary(const PairConfig& pair) {
  const std::vector<Result<Json>> members = ask_members(pair);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] && members[i]->text("role") == "primary" && members[i]->flag("serving"))
      return &pair.members[i];
  }
  return fail(Code::unreachable, "no member of pair " + pair.name + " serves; see why: pollux status");
}

Result<std::unique_ptr<Requester>> connect(const Config& config, const PairConfig& pair,
                                           std::chrono::milliseconds deadline) {
  RequesterOptions options;
  options.deadline = deadline;
  options.connect_within = deadline;
  return Requester::open(config.address(pair), options);
}

Error error_of(const CallError& error, const PairConfig& pair) {
  switch (error.code) {
    case Code::unreachable:
    case Code::not_primary:
    case Code::deadline_exceeded:
      return {Code::unreachable,
              "pair " + pair.name + " did not answer (" + error.text + "); see: pollux status"};
    default:
      return {error.code, error.text};
  }
}

std::string program_path() {
  std::error_code error;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  // Replaced while it ran (an upgrade): what stands there now is to be started.
  constexpr std::string_view gone = " (deleted)";
  if (path.ends_with(gone)) path.resize(path.size() - gone.size());
  return path;
}

}  // namespace pollux
