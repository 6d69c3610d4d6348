// Orders to members and to the node: switch, takeover, witness adopt, restart, stop.
#include <algorithm>

#include "commands.h"
#include "exit_codes.h"
#include "pollux/services/node.h"
#include "terminal.h"

namespace pollux {

namespace {

/// A member answers within its own limits, which are shorter.
constexpr std::chrono::milliseconds order_timeout{60'000};

int order(const std::filesystem::path& control, const std::string& command, const std::string& whom) {
  const Result<Json> answer = ask(control, command, order_timeout);
  if (!answer) {
    const auto& [code, text] = answer.error();
    const bool silent = code == Code::unreachable || code == Code::deadline_exceeded;
    return fail_with({code, silent ? whom + " does not answer (" + text + ")" : text});
  }
  print(answer->text("text"));
  return Exit::ok;
}

}  // namespace

int run_switch(const Globals& globals, const std::string& name) {
  const Result<Located> located = locate_running(globals);
  if (!located) return fail_with(located.error());
  const Result<const PairConfig*> pair = choose_pair(located->config, name);
  if (!pair) return fail_with(pair.error());
  const Result<const MemberConfig*> primary = find_primary(**pair);
  if (!primary) return fail_with(primary.error());
  return order((*primary)->control, R"({"command":"switch"})", "the primary");
}

int run_takeover(const Globals& globals, const std::string& pair_name, const std::string& name) {
  const Result<Located> located = locate_running(globals);
  if (!located) return fail_with(located.error());
  const Result<const PairConfig*> pair = choose_pair(located->config, pair_name);
  if (!pair) return fail_with(pair.error());
  const Result<const MemberConfig*> member = choose_member(**pair, name);
  if (!member) return fail_with(member.error());
  return order((*member)->control, R"({"command":"takeover"})", "member " + name);
}

int run_witness_adopt(const Globals& globals, const std::string& name) {
  const Result<Located> located = locate_running(globals);
  if (!located) return fail_with(located.error());
  const Result<const PairConfig*> pair = choose_pair(located->config, name);
  if (!pair) return fail_with(pair.error());
  // One member does it with the other's word: the first that refuses the witness and can. Only if none can are all of
  // their reasons told.
  std::vector<std::pair<std::string, Error>> refusals;
  for (const MemberConfig& member : (*pair)->members) {
    const Result<Json> answer = ask(member.control, R"({"command":"witness-adopt"})", order_timeout);
    if (answer) {
      print(answer->text("text"));
      return Exit::ok;
    }
    refusals.emplace_back(member.name, answer.error());
  }
  int exit = Exit::ok;
  for (const auto& [member, error] : refusals) {
    const bool silent = error.code == Code::unreachable;
    const std::string text = silent ? "does not answer (" + error.text + ")" : "says: " + error.text;
    exit = std::max(exit, fail_with({error.code, "member " + member + " " + text}));
  }
  return exit;
}

int run_restart(const Globals& globals, const std::string& child) {
  const Result<Located> located = locate_running(globals);
  if (!located) return fail_with(located.error());
  return order(node_control(located->config), R"({"command":"restart","name":)" + json_quoted(child) + "}",
               "the node");
}

int run_stop(const Globals& globals) {
  const Result<Located> located = locate_running(globals);
  if (!located) return fail_with(located.error());
  return order(node_control(located->config), R"({"command":"stop"})", "the node");
}

}  // namespace pollux
