// `pollux member PAIR NAME` and `pollux gateway NAME`: what a node starts.
#include <algorithm>

#include "commands.h"
#include "exit_codes.h"
#include "pollux/groupware/gateway.h"
#include "pollux/services/member.h"
#include "service_list.h"
#include "terminal.h"

namespace pollux {

namespace {

Result<Located> locate_prepared(const Globals& globals) {
  Result<Located> located = locate(globals);
  if (!located) return located;
  if (Result<void> prepared = prepare_data_directory(located->config); !prepared)
    return std::unexpected(prepared.error());
  return located;
}

}  // namespace

int run_member_command(const Globals& globals, const std::string& pair_name, const std::string& name) {
  const Result<Located> located = locate_prepared(globals);
  if (!located) return fail_with(located.error());
  const Result<const PairConfig*> pair = choose_pair(located->config, pair_name);
  if (!pair) return fail_with({Code::bad_config, pair.error().text});
  const auto member = std::ranges::find((*pair)->members, name, &MemberConfig::name);
  if (member == (*pair)->members.end()) {
    return fail_with(
        {Code::bad_config, "pair " + pair_name + " has no member \"" + name + "\"; there are: a b"});
  }
  const ServiceFactory service = service_named((*pair)->service);
  if (!service)
    return fail_with({Code::bad_config, "there is no service \"" + (*pair)->service + "\" in this program"});
  return run_member(located->config, **pair, *member, service);
}

int run_gateway_command(const Globals& globals, const std::string& name) {
  const Result<Located> located = locate_prepared(globals);
  if (!located) return fail_with(located.error());
  const std::vector<GatewayConfig>& gateways = located->config.gateways;
  std::string known;
  for (const GatewayConfig& gateway : gateways) known += " " + gateway.name;
  const auto gateway = name.empty() && gateways.size() == 1
                           ? gateways.begin()
                           : std::ranges::find(gateways, name, &GatewayConfig::name);
  if (gateway == gateways.end()) {
    return fail_with({Code::bad_config, "there is no gateway \"" + name + "\"; there are:" + known});
  }
  return run_gateway(located->config, *gateway);
}

}  // namespace pollux
