// Core's orders, one function a kind. Most hand over to the thread whose work it is.
#include "core_loop.h"
#include "text.h"

namespace pollux {

void CoreLoop::carry_out(Action& action) {
  std::visit([this](auto& order) { on(order); }, action);
}

void CoreLoop::on(SendPeer& action) { parts_.socket.send(action.message); }
void CoreLoop::on(SendReply& action) {
  parts_.socket.send(action.route, action.reply);
  stages_.replied();
}
void CoreLoop::on(AnnounceRequesters& action) { parts_.socket.announce(action.news); }

void CoreLoop::on(Execute& action) {
  // Given to the executor at the end of the round, all at once.
  if (to_execute_.empty()) {
    to_execute_ = std::move(action.items);
  } else {
    std::move(action.items.begin(), action.items.end(), std::back_inserter(to_execute_));
  }
}

void CoreLoop::on(ResetExecutor& action) {
  to_execute_.clear();
  parts_.executor.reset(action.last);
  feed_.cut(action.last.lsn);
}

void CoreLoop::on(Force& action) { parts_.forcer.give(std::move(action)); }

void CoreLoop::on(AddToOverlay& action) {
  parts_.state.add_received(action.record);
  feed_.add(action.record);
}

void CoreLoop::on(Commit& action) {
  // Before the applier can get at it: a query's LSN must not be below what the tables show.
  parts_.state.set_committed(action.upto.lsn);
  feed_.commit(action.upto.lsn, now_.steady);
}

void CoreLoop::on(TellReaders& action) {
  auto told = parts_.serving_teller.tell(action);
  if (!told && !stop_) stop_ = Stop{.abort = false, .reason = std::move(told.error())};
}

void CoreLoop::on(Persist& action) { parts_.forcer.give(std::move(action)); }
void CoreLoop::on(RunQuery& action) { parts_.queries.give(std::move(action)); }
void CoreLoop::on(ReadWitness& action) { parts_.witness.give(action); }
void CoreLoop::on(ProposeWitness& action) { parts_.witness.give(std::move(action)); }
void CoreLoop::on(AdoptWitness& action) { parts_.witness.give(std::move(action)); }
void CoreLoop::on(RaiseFloor& action) { parts_.witness.give(std::move(action)); }
void CoreLoop::on(ReadHashes& action) { parts_.disk_reader.give(std::move(action)); }
void CoreLoop::on(ReadTail& action) { parts_.disk_reader.give(action); }
void CoreLoop::on(ReadSnapshot& action) { parts_.disk_reader.give(std::move(action)); }

void CoreLoop::on(CutTrail& action) {
  feed_.clear_uncommitted();
  parts_.forcer.give(action);
}

void CoreLoop::on(InstallSnapshot& action) {
  if (action.begin) feed_.clear_uncommitted();
  parts_.applier.give(std::move(action));
}

void CoreLoop::on(ResetTrail& action) {
  feed_.clear_uncommitted();
  parts_.forcer.give(action);
}

void CoreLoop::on(RepairRecord& action) { parts_.forcer.give(std::move(action)); }

void CoreLoop::on(RoleChanged& action) {
  stages_.forget();
  parts_.counters.role_changes.fetch_add(1, std::memory_order_relaxed);
  const std::string text = cat("role: ", to_string(action.from), " -> ", to_string(action.to), ", epoch ", action.epoch,
                               ": ", action.reason);
  parts_.log.info(text);
  parts_.board.publish({pair_.status(), parts_.socket.counters(), now_.steady});
}

void CoreLoop::on(Log& action) {
  switch (action.level) {
    case Log::Level::info: return parts_.log.info(action.text);
    case Log::Level::warning: return parts_.log.warning(action.text);
    case Log::Level::error: return parts_.log.error(action.text);
  }
}

void CoreLoop::on(OrderAnswered& action) { parts_.orders.answer(action.ticket, {action.code, action.text}); }
void CoreLoop::on(WatchPeer& action) { parts_.death_watch.watch(action); }
void CoreLoop::on(Stop& action) { stop_ = action; }

}  // namespace pollux
