// What a gateway takes for connections that do nothing: each has had one answer before.
#include "groupware/groupware_items.h"
#include "groupware/groupware_runs.h"
#include "http/http_socket.h"
#include "pollux/bench/member_status.h"

namespace pollux {

std::vector<ServerFigure> run_idle_cell(GroupwareRun& run, const CellPlan& plan) {
  auto figures = figures_for(run, plan);
  auto& figure = figures.front();
  const auto wrong = [&](Verdict verdict, const std::string& why) {
    figure.verdict = verdict;
    figure.reason = why;
    return figures;
  };
  if (auto allowed = allow_open_files(plan.connections + 64); !allowed)
    return wrong(Verdict::not_available, allowed.error().text);
  const auto& server = *run.lanes.front().server;
  const auto request = server.request("GET", server.path(item_collection(item_sizes[0]), item_name(0)));
  std::vector<std::unique_ptr<HttpConnection>> idle;
  for (unsigned i = 0; i < plan.connections; ++i) {
    idle.push_back(std::make_unique<HttpConnection>(server.address));
    const auto answer = idle.back()->call(request);
    if (!answer || answer->head.status != 200 || !idle.back()->open()) {
      figure.failed = true;
      return wrong(Verdict::invalid,
                   "connection " + std::to_string(i + 1) + " was not served: " +
                       (answer ? "status " + std::to_string(answer->head.status) : answer.error().text));
    }
  }
  figure.answered = idle.size();
  figure.memory_bytes = resident_anonymous_bytes(run.pair.gateway_pid());
  if (figure.memory_bytes == 0)
    return wrong(Verdict::not_available, "the gateway's process is not to be found");
  return figures;
}

}  // namespace pollux
