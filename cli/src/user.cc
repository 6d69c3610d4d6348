// `pollux user add|passwd|remove|list|quota`
#include <charconv>
#include <ctime>
#include <limits>

#include "commands.h"
#include "exit_codes.h"
#include "groupware_client.h"
#include "pollux/groupware/passwords.h"
#include "terminal.h"

namespace pollux {

namespace {

Result<GroupwareClient> open_client(const Globals& globals, const UserOptions& options) {
  const Result<Located> located = locate_running(globals);
  if (!located) return std::unexpected(located.error());
  return GroupwareClient::open(located->config, options.pair);
}

/// Asks before anything is sent, so that a typing error costs nothing.
Result<std::string> new_password_hash(const std::string& user) {
  if (Result<void> checked = check_user_name(user); !checked) return std::unexpected(checked.error());
  const Result<std::string> password = read_new_password(user);
  if (!password) return password;
  return hash_password(*password);
}

std::string date_text(WallTime time) {
  const std::time_t seconds = time.us / 1'000'000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

}  // namespace

int run_user_add(const Globals& globals, const UserOptions& options) {
  Result<GroupwareClient> client = open_client(globals, options);
  if (!client) return fail_with(client.error());
  const Result<std::string> hash = new_password_hash(options.name);
  if (!hash) return fail_with(hash.error());
  const Result<PrincipalInfo> added = client->change<PrincipalInfo>(
      AddUser{.user = options.name,
              .display_name = options.display_name.empty() ? options.name : options.display_name,
              .password_hash = *hash});
  if (!added) return fail_with(added.error());
  print("user " + added->user + " added, with the calendar /dav/calendars/" + added->user + "/default/");
  return Exit::ok;
}

int run_user_passwd(const Globals& globals, const UserOptions& options) {
  Result<GroupwareClient> client = open_client(globals, options);
  if (!client) return fail_with(client.error());
  const Result<std::string> hash = new_password_hash(options.name);
  if (!hash) return fail_with(hash.error());
  const Result<Stored> stored =
      client->change<Stored>(SetPassword{.user = options.name, .password_hash = *hash});
  if (!stored) return fail_with(stored.error());
  print("the password of " + options.name + " is changed; logins with the old one have ended");
  return Exit::ok;
}

int run_user_remove(const Globals& globals, const UserOptions& options) {
  if (Result<void> checked = check_user_name(options.name); !checked) return fail_with(checked.error());
  if (!options.yes && !confirmed("This removes " + options.name + " with all calendars.", options.name)) {
    complain("nothing was removed; confirm by typing the name, or with --yes");
    return Exit::failed;
  }
  Result<GroupwareClient> client = open_client(globals, options);
  if (!client) return fail_with(client.error());
  const Result<Stored> stored = client->change<Stored>(RemoveUser{.user = options.name});
  if (!stored) return fail_with(stored.error());
  print("user " + options.name + " removed");
  return Exit::ok;
}

int run_user_list(const Globals& globals, const UserOptions& options) {
  Result<GroupwareClient> client = open_client(globals, options);
  if (!client) return fail_with(client.error());
  const Result<std::vector<PrincipalInfo>> users = client->users();
  if (!users) return fail_with(users.error());
  for (const PrincipalInfo& user : *users) {
    print(user.user + "\t" + date_text(user.created) + "\t" + printable(user.display_name));
  }
  return Exit::ok;
}

Result<std::uint64_t> parse_quota(const std::string& text) {
  const auto bad = [&] {
    return fail(
        Code::invalid_argument,
        "\"" + printable(text) + "\" is no size: write bytes, or a number with K, M, G or T, or none");
  };
  if (text == "none") return 0;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value == 0) return bad();
  const std::string_view unit(end, text.data() + text.size());
  if (unit.empty()) return value;
  constexpr std::string_view units = "KMGT";
  const std::size_t power = units.find(unit[0]);
  if (unit.size() != 1 || power == std::string_view::npos) return bad();
  const unsigned shift = 10 * static_cast<unsigned>(power + 1);
  if (value > (std::numeric_limits<std::uint64_t>::max() >> shift)) return bad();
  return value << shift;
}

int run_user_quota(const Globals& globals, const UserOptions& options) {
  const Result<std::uint64_t> bytes = parse_quota(options.quota);
  if (!bytes) return fail_with(bytes.error());
  Result<GroupwareClient> client = open_client(globals, options);
  if (!client) return fail_with(client.error());
  const Result<Stored> stored = client->change<Stored>(SetQuota{.user = options.name, .bytes = *bytes});
  if (!stored) return fail_with(stored.error());
  print(*bytes == 0 ? options.name + " may store as much as the disk takes"
                    : options.name + " may store " + std::to_string(*bytes) + " bytes");
  return Exit::ok;
}

}  // namespace pollux
