// `pollux status`
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "commands.h"
#include "exit_codes.h"
#include "health.h"
#include "pollux/services/node.h"
#include "terminal.h"

namespace pollux {

namespace {

struct PairReport {
  const PairConfig* pair = nullptr;
  std::vector<Result<Json>> members;
  PairHealth health;
};

struct Report {
  std::vector<PairReport> pairs;
  Result<Json> node;
  std::vector<std::string> gateways;  ///< addresses; empty: down
  Health health = Health::healthy;
};

Report gather(const Config& config) {
  Report report{
      {}, ask(node_control(config), R"({"command":"status"})", std::chrono::milliseconds(1000)), {}, {}};
  if (!report.node) report.health = Health::degraded;
  for (const PairConfig& pair : config.pairs) {
    PairReport one{&pair, ask_members(pair), {}};
    std::vector<std::string> names;
    for (const MemberConfig& member : pair.members) names.push_back(member.name);
    one.health = judge_pair(names, one.members);
    report.health = std::max(report.health, one.health.health);
    report.pairs.push_back(std::move(one));
  }
  for (const GatewayConfig& gateway : config.gateways) {
    report.gateways.push_back(gateway_address(config, gateway));
    if (report.gateways.back().empty()) report.health = std::max(report.health, Health::degraded);
  }
  return report;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text + "  ";
}

/// "2026-01-31T12:00:00.123456Z" as seconds since 1970, or none.
std::optional<std::time_t> seconds_of(const std::string& iso) {
  std::tm parts{};
  if (std::sscanf(iso.c_str(), "%d-%d-%dT%d:%d:%d", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                  &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6) {
    return {};
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return ::timegm(&parts);
}

std::string ago(const std::string& iso) {
  const std::optional<std::time_t> then = seconds_of(iso);
  if (!then) return iso;
  const long long seconds = std::max<long long>(0, std::time(nullptr) - *then);
  const std::string age = seconds < 120      ? std::to_string(seconds) + " s"
                          : seconds < 7200   ? std::to_string(seconds / 60) + " min"
                          : seconds < 172800 ? std::to_string(seconds / 3600) + " h"
                                             : std::to_string(seconds / 86400) + " d";
  return iso.substr(0, 19) + "Z, " + age + " ago";
}

void print_member(const MemberConfig& member, const Result<Json>& answer) {
  const auto lsn = [&](const char* path) {
    return padded(answer ? std::to_string(answer->number(path)) : "-", 10);
  };
  std::string role = answer ? answer->text("role") : "no answer";
  if (answer && role == "catching_up") role = "catching up";
  if (answer && role == "primary" && !answer->flag("serving")) role = "primary, not serving";
  print("  " + padded(member.name, 6) + padded(role, 12) +
        padded(answer ? std::to_string(answer->number("pid")) : "-", 8) +
        padded(answer ? std::to_string(answer->number("epoch")) : "-", 6) + lsn("durable.lsn") +
        lsn("committed.lsn") + lsn("applied") + (answer ? ago(answer->text("role_since")) : ""));
  if (answer && !answer->text("reason").empty())
    print("          " + dim("because " + printable(answer->text("reason"))));
}

void print_pair(const PairReport& report) {
  const std::string health(to_string(report.health.health));
  const std::string word = report.health.health == Health::healthy    ? green(health)
                           : report.health.health == Health::degraded ? yellow(health)
                                                                      : red(health);
  print("pair " + report.pair->name + " (" + report.pair->service + "): " + word);
  print("  member  role          pid       epoch   durable     committed   applied     role since");
  for (std::size_t i = 0; i < report.members.size(); ++i)
    print_member(report.pair->members[i], report.members[i]);
  if (report.health.solo) {
    print(red("  !!! PAIR " + report.pair->name +
              " IS SOLO: what is acknowledged is on ONE disk only. Bring the other "
              "member back: its log and `pollux status` say why it is away !!!"));
  }
  if (report.health.health == Health::down) {
    print(red("  !!! PAIR " + report.pair->name + " IS DOWN: no member serves !!!"));
  }
  for (const std::string& complaint : report.health.complaints)
    print("  " + yellow("! ") + printable(complaint));
  for (std::size_t i = 0; i < report.members.size(); ++i) {
    const std::size_t poison = report.members[i] ? report.members[i]->list("quarantined").size() : 0;
    if (poison != 0) {
      print("  " + yellow("! ") + "member " + report.pair->members[i].name + " has " +
            std::to_string(poison) + " requests in quarantine: they ended a member, and are not tried again");
    }
  }
}

void print_node(const Config& config, const Report& report) {
  for (std::size_t i = 0; i < report.gateways.size(); ++i) {
    const GatewayConfig& gateway = config.gateways[i];
    print("gateway " + gateway.name + ": " +
          (report.gateways[i].empty()
               ? red("down") + ", should listen on " + gateway.listen
               : green("up") + ", " + std::string(gateway.scheme()) + "://" + report.gateways[i] + "/"));
  }
  if (!report.node) {
    print(yellow(
        "! no node supervises this data directory: what dies is not started again. Start one: pollux up, or "
        "pollux node"));
    return;
  }
  print("node: process " + std::to_string(report.node->number("pid")) + ", since " +
        ago(report.node->text("started")) + (report.node->flag("stopping") ? ", stopping" : ""));
  for (const Json& child : report.node->list("children")) {
    const std::string state = child.text("state");
    if (state == "running") continue;
    print("  " + yellow("! ") + child.text("name") + ": " + state + ", ended by " +
          printable(child.text("last_end")) +
          (child.text("advice").empty() ? "" : "; " + printable(child.text("advice"))));
  }
}

void print_json(const Config& config, const Report& report) {
  std::string pairs, gateways;
  for (const PairReport& one : report.pairs) {
    std::string members, complaints;
    for (std::size_t i = 0; i < one.members.size(); ++i) {
      members += (i == 0 ? "" : ",") + json_quoted(one.pair->members[i].name) + ":" +
                 (one.members[i] ? one.members[i]->serialized() : "null");
    }
    for (const std::string& complaint : one.health.complaints) {
      complaints += (complaints.empty() ? "" : ",") + json_quoted(complaint);
    }
    const int primary = one.health.primary;
    pairs += std::string(pairs.empty() ? "" : ",") + "{\"pair\":" + json_quoted(one.pair->name) +
             ",\"service\":" + json_quoted(one.pair->service) +
             ",\"health\":" + json_quoted(to_string(one.health.health)) +
             ",\"solo\":" + (one.health.solo ? "true" : "false") + ",\"primary\":" +
             (primary < 0 ? "null" : json_quoted(one.pair->members[static_cast<std::size_t>(primary)].name)) +
             ",\"complaints\":[" + complaints + "],\"members\":{" + members + "}}";
  }
  for (std::size_t i = 0; i < report.gateways.size(); ++i) {
    gateways +=
        std::string(gateways.empty() ? "" : ",") + "{\"gateway\":" + json_quoted(config.gateways[i].name) +
        ",\"listen\":" + (report.gateways[i].empty() ? "null" : json_quoted(report.gateways[i])) + "}";
  }
  print("{\"cluster\":" + json_quoted(to_string(config.cluster)) + ",\"health\":" +
        json_quoted(to_string(report.health)) + ",\"data\":" + json_quoted(config.data.string()) +
        ",\"run\":" + json_quoted(config.run.string()) + ",\"pairs\":[" + pairs + "],\"gateways\":[" +
        gateways + "],\"node\":" + (report.node ? report.node->serialized() : "null") + "}");
}

int print_pid(const Config& config, const std::string& name) {
  const Result<const PairConfig*> pair = choose_pair(config, name);
  if (!pair) return fail_with(pair.error());
  const Result<const MemberConfig*> primary = find_primary(**pair);
  if (!primary) return fail_with(primary.error());
  const Result<Json> member =
      ask((*primary)->control, R"({"command":"status"})", std::chrono::milliseconds(1000));
  if (!member) return fail_with(member.error());
  print(std::to_string(member->number("pid")));
  return Exit::ok;
}

}  // namespace

int run_status(const Globals& globals, const StatusOptions& options) {
  const Result<Located> located = locate_running(globals);
  if (!located) return fail_with(located.error());
  const Config& config = located->config;
  if (!options.pid_of.empty()) return print_pid(config, options.pid_of);
  const Report report = gather(config);
  if (options.json) {
    print_json(config, report);
  } else {
    for (const PairReport& pair : report.pairs) print_pair(pair);
    print_node(config, report);
  }
  switch (report.health) {
    case Health::healthy:
      return Exit::ok;
    case Health::degraded:
      return Exit::degraded;
    case Health::down:
      return Exit::down;
  }
  return Exit::failed;
}

}  // namespace pollux
