// The loop of the thread that speaks ZeroMQ and runs core: gathers what happened, lets core decide, and carries
// out its orders by handing them to the other threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "applier.h"
#include "apply_feed.h"
#include "core_inbox.h"
#include "counters.h"
#include "death_sign.h"
#include "disk_reader.h"
#include "executor.h"
#include "forcer.h"
#include "log.h"
#include "order_desk.h"
#include "stage_watch.h"
#include "pollux/core/pair.h"
#include "pollux/ipc/member_socket.h"
#include "pollux/services/service.h"
#include "queries.h"
#include "serving_teller.h"
#include "shared_state.h"
#include "status_board.h"
#include "witness_thread.h"

namespace pollux {

class CoreLoop {
 public:
  struct Parts {
    const Service& service;
    MemberSocket& socket;
    CoreInbox& inbox;
    SharedState& state;
    Executor& executor;
    Forcer& forcer;
    Applier& applier;
    Queries& queries;
    DiskReader& disk_reader;
    WitnessThread& witness;
    DeathWatch& death_watch;
    ServingTeller& serving_teller;
    OrderDesk& orders;
    StatusBoard& board;
    MemberCounters& counters;
    Progress& progress;
    MemberLog& log;
  };
  CoreLoop(const Parts& parts, const PairOptions& options);

  /// Runs until core orders to stop, and returns that order.
  Stop run(Recovered recovered);

 private:
  void go_round();
  void take(Input& input);
  void take_executed(ExecutedBatch& batch);
  void step(Event event);
  void tick_if_due();
  void look_at_clocks();
  void refused(const std::string& text);
  [[nodiscard]] bool frees_space(const RequesterMessage& message) const;

  // carry_out.cc: one for each kind of order.
  void carry_out(Action& action);
  void on(SendPeer& action);
  void on(SendReply& action);
  void on(AnnounceRequesters& action);
  void on(Execute& action);
  void on(ResetExecutor& action);
  void on(Force& action);
  void on(AddToOverlay& action);
  void on(Commit& action);
  void on(TellReaders& action);
  void on(Persist& action);
  void on(RunQuery& action);
  void on(ReadWitness& action);
  void on(ProposeWitness& action);
  void on(AdoptWitness& action);
  void on(RaiseFloor& action);
  void on(ReadHashes& action);
  void on(ReadTail& action);
  void on(ReadSnapshot& action);
  void on(CutTrail& action);
  void on(InstallSnapshot& action);
  void on(ResetTrail& action);
  void on(RepairRecord& action);
  void on(RoleChanged& action);
  void on(Log& action);
  void on(OrderAnswered& action);
  void on(WatchPeer& action);
  void on(Stop& action);

  const Parts parts_;
  const Duration tick_every_;
  Pair pair_;
  ApplyFeed feed_;
  StageWatch stages_;

  Now now_{};
  Instant tick_due_{};
  std::uint32_t steps_since_clock_ = 0;
  bool more_messages_ = false, disk_full_ = false;
  std::vector<Event> said_;             ///< by peer and requesters, in this round
  std::vector<Input> inputs_;
  Actions actions_;
  std::vector<Execute::Item> to_execute_;
  std::optional<Stop> stop_;
  Instant refused_logged_{};
  std::uint64_t refused_unlogged_ = 0;
};

}  // namespace pollux
