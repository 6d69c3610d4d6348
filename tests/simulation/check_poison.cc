#include "simulation/check_poison.h"

#include "simulation/world.h"

namespace pollux::testing {

void PoisonChecker::on_execute(const Member& member, const SyncId& sync, const RegisterRequest& request) {
  if (request.verb != Verb::kill && request.verb != Verb::hang) return;
  if (!executed_.emplace(member.incarnation(), member.disk_restored, sync).second) {
    throw Violation("a poison request is executed a second time by " + std::string(member.name()));
  }
  if (answered_.contains(sync)) throw Violation("a quarantined request is executed after it was answered");
}

void PoisonChecker::on_actions(const Member& /*member*/, const PairStatus& /*before*/, const PairStatus& /*after*/,
                               std::span<const Action> actions) {
  for (const Action& action : actions) {
    const auto* send = std::get_if<SendReply>(&action);
    if (send == nullptr || send->reply.lsn.value == 0) continue;
    const Operation* operation = world_->requester(send->route.value).operation(send->reply.number);
    if (operation != nullptr && !operation->query) answered_.insert(operation->sync);
  }
}

}  // namespace pollux::testing
