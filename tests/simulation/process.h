// One run of a member's process: core's Pair, and models of the threads around it. It carries out core's
// actions on the member's disk and on the network, and tells core what came of them.
//
// A thread is a queue of things to do, one at a time, each taking its time. What a thread tells core arrives
// in the order of its doing; between threads there is no order.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pollux/core/pair.h"
#include "simulation/member.h"
#include "simulation/schedule.h"

namespace pollux::testing {

class Process : public std::enable_shared_from_this<Process> {
 public:
  Process(Member& member, Random random);

  void begin();
  void end(Death death);
  [[nodiscard]] const PairStatus& status() const { return status_; }

  /// Where news for core comes from; each source keeps its order.
  enum class Source : std::uint8_t {
    clock, checkpoints, heartbeats, requesters, witness, executor, forcer, applier, reader, query, control, scrub, count
  };
  /// Tells core, at once if the process is not paused.
  void tell(Source source, Event event);
  void resume();

 private:
  using Act = std::move_only_function<void()>;
  void act(Source source, Act act);
  void later(Source source, Duration delay, Act act);
  void step(Event event);
  void tick();
  Recovered recover();

  // ---- process.cc: what core orders ------------------------------------------------------------------------
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

  // ---- executor (process_executor.cc) ----------------------------------------------------------------------
  void execute_next();
  void finish_execution(const Execute::Item& item);
  [[nodiscard]] std::optional<std::string> row(const std::string& key, Lsn upto) const;
  [[nodiscard]] Position overlay_top() const;
  void add_to_overlay(const RecordPtr& record);
  void cut_overlay(Lsn upto);

  // ---- forcer and applier (process_storage.cc) --------------------------------------------------------------
  struct Work {
    Duration takes{};
    std::function<void()> effect;   ///< on the disk; half of the crashes in the midst of it see it done
    Act done;                       ///< news for core
    bool may_fail = false;
  };
  struct Thread {
    Source source;
    std::deque<Work> queue;
    bool busy = false, broken = false;
    std::function<void()> effect;   ///< of the work under way
  };
  void push(Thread& thread, Work work);
  void run(Thread& thread);
  void apply_next();
  void retain();
  void scrub();

  Member& member_;
  World& world_;
  Random random_;
  Pair pair_;
  PairStatus status_;
  Actions actions_;
  bool dead_ = false;

  std::array<Duration, static_cast<std::size_t>(Source::count)> last_{};
  std::array<std::deque<Act>, static_cast<std::size_t>(Source::count)> held_;  ///< while paused
  std::size_t held_count_ = 0;

  struct Executor {
    std::deque<Execute::Item> queue;
    Position last;
    bool busy = false;
    std::uint64_t generation = 0;   ///< grows with every reset
    std::vector<RecordPtr> done;    ///< core is told of several at once
  } executor_;
  std::deque<RecordPtr> overlay_;   ///< records after the tables' applied position, without a gap
  Position committed_;

  Thread forcer_{.source = Source::forcer, .queue = {}, .busy = false, .broken = false, .effect = {}};
  Thread applier_{.source = Source::applier, .queue = {}, .busy = false, .broken = false, .effect = {}};
  bool apply_queued_ = false;
};

}  // namespace pollux::testing
