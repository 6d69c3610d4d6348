// `pollux up`: everything in the foreground, for somebody who sees it for the first time.
#include <sodium.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "commands.h"
#include "exit_codes.h"
#include "groupware_client.h"
#include "pollux/groupware/passwords.h"
#include "pollux/services/node.h"
#include "port_probe.h"
#include "terminal.h"

namespace pollux {

namespace {

constexpr std::chrono::milliseconds first_user_deadline{10'000};
constexpr std::size_t password_length = 16;
constexpr const char* example_event =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Pollux//quick start//EN\r\nBEGIN:VEVENT\r\n"
    "UID:meeting@pollux.example\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260105T090000Z\r\n"
    "DTEND:20260105T100000Z\r\nSUMMARY:When Castor falls\\, Pollux takes "
    "over\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// 16 characters of 31 that can't be taken for each other: 79 bits.
std::string random_password() {
  constexpr std::string_view letters = "abcdefghjkmnpqrstuvwxyz23456789";
  if (sodium_init() < 0) return {};
  std::string out;
  for (std::size_t i = 0; i < password_length; ++i) {
    out += letters[randombytes_uniform(static_cast<std::uint32_t>(letters.size()))];
  }
  return out;
}

struct FirstUser {
  std::string name, password;  ///< empty password: there are users already
};

Result<FirstUser> make_first_user(GroupwareClient& client, const std::string& name) {
  const Result<UserList> users = client.ask<UserList>(ListUsers{.after = {}, .limit = 1});
  if (!users) return std::unexpected(users.error());
  if (!users->users.empty()) return FirstUser{users->users.front().user, {}};
  FirstUser user{name, random_password()};
  const Result<std::string> hash = hash_password(user.password);
  if (!hash) return std::unexpected(hash.error());
  const Result<PrincipalInfo> added =
      client.change<PrincipalInfo>(AddUser{.user = name, .display_name = name, .password_hash = *hash});
  if (!added) return std::unexpected(added.error());
  return user;
}

/// How to call this program again: by its name if the shell finds it, else by its path.
std::string program_name(const std::string& path) {
  const char* places = std::getenv("PATH");
  std::error_code error;
  for (std::string_view rest = places ? places : ""; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, colon)) / "pollux";
    if (std::filesystem::equivalent(candidate, path, error)) return "pollux";
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return path;
}

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./:@%+=,") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string again(const Located& located) {
  std::string out = shell_quoted(program_name(program_path()));
  // In the same directory the defaults find it by themselves.
  std::error_code error;
  const bool here = located.arguments.front() == "--data" &&
                    located.config.data == std::filesystem::current_path(error) / "pollux-data";
  // --config FILE or --data DIRECTORY; the gateway's address, if it follows, matters to no other command.
  for (std::size_t i = 0; !here && i < 2; ++i) out += " " + shell_quoted(located.arguments.at(i));
  return out;
}

void tell_groupware(const Located& located, const GatewayConfig& gateway, const UpOptions& options,
                    std::string& out) {
  const auto say = [&out](const std::string& line) { out += line + "\n"; };
  const std::string url =
      std::string(gateway.scheme()) + "://" + gateway_address(located.config, gateway) + "/";
  say("  URL        " + url);
  Result<GroupwareClient> client = GroupwareClient::open(located.config, gateway.pair, first_user_deadline);
  Result<FirstUser> user =
      client ? make_first_user(*client, options.first_user) : std::unexpected(client.error());
  if (!user) {
    complain("the first user could not be made: " + user.error().text + "; later: pollux user add NAME");
    return;
  }
  const bool fresh = !user->password.empty();
  const std::string login = user->name + ":" + (fresh ? user->password : "PASSWORD");
  const std::string calendar = url + "dav/calendars/" + user->name + "/default/";
  const std::string event = (located.config.data / "meeting.ics").string();
  if (fresh) {
    std::ofstream(event) << example_event;
    say("  user       " + user->name);
    say("  password   " + user->password + "   (shown this once)");
  } else {
    say("  user       " + user->name + " (" + again(located) + " user list)");
  }
  say("  calendar   " + calendar);
  say("");
  say("Try next, in another terminal:");
  say("  curl -u " + login + " -T " + shell_quoted(event) + " " + calendar +
      "meeting.ics    # store an event");
  say("  curl -u " + login + " " + calendar + "meeting.ics    # read it back");
  say("  kill -9 $(" + again(located) + " status --pid " + gateway.pair +
      ")    # kill the primary: no request fails");
}

void print_welcome(const Located& located, const UpOptions& options) {
  // One piece: the children's log lines must not come in between.
  std::string out = "\nPollux is up.\n";
  const auto say = [&out](const std::string& line) { out += line + "\n"; };
  for (const GatewayConfig& gateway : located.config.gateways) tell_groupware(located, gateway, options, out);
  for (const PairConfig& pair : located.config.pairs) {
    if (pair.service != "ledger") continue;
    say("  " + again(located) + " call " + pair.name + " open alice    # a ledger account");
    say("  " + again(located) + " call " + pair.name + " deposit alice 100");
  }
  say("  " + again(located) + " status    # roles, LSNs, process ids");
  say("  " + again(located) + " audit tail    # every change, in order");
  say("Stop with Ctrl-C. Everything is in " + located.config.data.string());
  print(out);
}

/// The port is looked at before anything starts: the one thing that often is not free.
int check_ports(const Config& config) {
  for (const GatewayConfig& gateway : config.gateways) {
    if (!gateway_address(config, gateway).empty()) continue;  // it runs already, and is adopted
    if (Result<void> free = probe_port(gateway.listen); !free) return fail_with(free.error());
  }
  return Exit::ok;
}

}  // namespace

int run_up(const Globals& globals, const UpOptions& options) {
  Result<Located> located = locate(globals, true);
  if (!located) return fail_with(located.error());
  if (Result<void> checked = check_user_name(options.first_user); !checked) return fail_with(checked.error());
  if (Result<void> prepared = prepare_data_directory(located->config); !prepared)
    return fail_with(prepared.error());
  if (const int code = check_ports(located->config); code != Exit::ok) return code;
  print("Starting " + std::to_string(located->config.pairs.size()) + " pair(s), data in " +
        located->config.data.string());
  NodeOptions node;
  node.command = {program_path()};
  node.command.insert(node.command.end(), located->arguments.begin(), located->arguments.end());
  node.say = [](const std::string& line) { print("pollux: " + line); };
  node.child_line = [](std::string_view child, std::string_view line) {
    print(dim(std::string(child) + " | ") + printable(line));
  };
  node.ready = [&located, &options] { print_welcome(*located, options); };
  return run_node(located->config, node);
}

}  // namespace pollux
