// One member, wired: its files, its threads, its sockets. run_member (member.cc) adds what belongs to a whole
// process: signals, CPUs, exit codes.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "applier.h"
#include "core_inbox.h"
#include "core_loop.h"
#include "counters.h"
#include "death_sign.h"
#include "directory_lock.h"
#include "disk_reader.h"
#include "executing_mark.h"
#include "executor.h"
#include "forcer.h"
#include "housekeeper.h"
#include "log.h"
#include "order_desk.h"
#include "pollux/audit/tables.h"
#include "pollux/audit/trail.h"
#include "pollux/ipc/member_socket.h"
#include "pollux/ipc/witness.h"
#include "pollux/services/config.h"
#include "pollux/services/control.h"
#include "pollux/services/service.h"
#include "quarantine.h"
#include "queries.h"
#include "recovery.h"
#include "serving_teller.h"
#include "shared_state.h"
#include "status_board.h"
#include "watchdog.h"
#include "witness_thread.h"

namespace pollux {

class MemberProcess {
 public:
  /// Locks, opens, recovers, starts the threads. The error's text is the one line for a person.
  static Result<std::unique_ptr<MemberProcess>> start(const Config& config, const PairConfig& pair,
                                                      const MemberConfig& member, const ServiceFactory& service);
  ~MemberProcess();

  /// Core finishes what is on its way, hands over if it can, and stops. `alone`: the other member goes on (SIGUSR1);
  /// else it is taken to be ordered to stop, too (SIGTERM). Any thread.
  void order_stop(bool alone);
  /// Waits until core has stopped, ends the other threads, and returns the exit code. Does not return if
  /// something hangs or the disk failed: the process ends then.
  int wait();

  // For the control commands (member_control.cc).
  struct Identity {
    std::string pair, member, service;
    RunId run;
    BootId boot;
    IncarnationId incarnation;
    WallTime started;
    Instant started_steady;
    std::filesystem::path directory;
  };
  [[nodiscard]] const Identity& identity() const { return identity_; }
  [[nodiscard]] const PairOptions& pair_options() const { return options_; }
  [[nodiscard]] StatusBoard::Notice status() const { return board_.read(); }
  [[nodiscard]] const MemberCounters& counters() const { return counters_; }
  [[nodiscard]] const Trail& trail() const { return *trail_; }
  [[nodiscard]] const Tables& tables() const { return *tables_; }
  [[nodiscard]] const SharedState& state() const { return *state_; }
  [[nodiscard]] const Quarantine& quarantine() const { return *quarantine_; }
  /// Hands an order to core and waits for its answer, whose code may be ok.
  Error order(const std::function<Event(std::uint64_t ticket)>& make, std::chrono::milliseconds patience);
  void report_death(const RunId& run, const BootId& boot);

 private:
  MemberProcess() = default;
  Result<void> open_files(const Config& config, const PairConfig& pair, const MemberConfig& member);
  Result<Recovery> open_and_recover();
  Result<void> set_files_aside(const Error& why);
  Result<void> open_sockets(const PairConfig& pair, const MemberConfig& member);
  void make_threads(const PairConfig& pair);
  void start_threads(Recovery recovery);
  void end_threads();
  [[noreturn]] void end_now(const Stop& stop);

  Identity identity_;
  PairOptions options_;
  std::vector<ProcessLock> locks_;
  std::unique_ptr<MemberLog> log_;
  std::unique_ptr<Trail> trail_;
  std::unique_ptr<Tables> tables_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Quarantine> quarantine_;
  std::optional<ExecutingMark> mark_;
  std::optional<ServingTeller> serving_teller_;
  std::optional<DeathSign> death_sign_;
  std::unique_ptr<Witness> witness_;
  std::unique_ptr<MemberSocket> socket_;

  CoreInbox inbox_;
  MemberCounters counters_;
  Progress progress_;
  OrderDesk orders_;
  StatusBoard board_;
  std::unique_ptr<SharedState> state_;
  std::optional<Executor> executor_;
  std::optional<Applier> applier_;
  std::optional<Forcer> forcer_;
  std::optional<Queries> queries_;
  std::optional<DiskReader> disk_reader_;
  std::optional<WitnessThread> witness_thread_;
  std::optional<DeathWatch> death_watch_;
  std::optional<Housekeeper> housekeeper_;
  std::optional<Watchdog> watchdog_;
  std::optional<CoreLoop> core_loop_;
  std::unique_ptr<ControlServer> control_;
  std::thread core_thread_;
  std::optional<Stop> stop_;  ///< written by core's thread, read after it has ended
};

/// What the control socket answers to one command.
void answer_control(MemberProcess& member, const std::string& command, const ControlServer::Reply& reply);

}  // namespace pollux
