// What kind of world a seed makes: the pair's options, how much happens, and which faults there are.
//
// Every seed switches on a random part of the faults only: bugs hide behind the noise of all at once.
#pragma once

#include <cstdint>
#include <string>

#include "pollux/core/options.h"
#include "simulation/random.h"

namespace pollux::testing {

/// How often a fault strikes; zero: never.
struct Rate {
  Duration mean{};
  [[nodiscard]] bool on() const { return mean > Duration::zero(); }
};

/// Ways to break a rule on purpose, so that a test can see that the checkers notice.
enum class Mutation : std::uint8_t {
  none,
  reply_before_commit,     ///< I2: replies leave when the request was executed
  forced_too_early,        ///< a force is reported before it happened
  forget_epoch,            ///< I10: the persisted configuration is lost at a restart
  forget_sessions,         ///< the session table is lost at a restart
  forget_quarantine,       ///< what was in execution at a crash is forgotten
  lying_death_report,      ///< I8: a death report about a live run
  fast_clock,              ///< I7: one member's clock runs three times too fast, in lease mode
  witness_grants_twice,    ///< a compare-and-swap that two can win
  wipe_in_sync,            ///< a member's files are wiped, but it keeps its incarnation
  old_disk_without_floor,  ///< I3: an old copy of the files of the last good member
  read_uncommitted,        ///< queries see what was executed and not committed
  readers_not_told,        ///< a new primary serves, and readers beside the members are not told
  told_epoch_forgotten,    ///< a restarted member lets readers go on with what the other one told before
  read_applied_only,       ///< queries see the tables without the overlay
  ask_answers_tombstone,   ///< an outcome is answered `tombstone` without a record of it
  change_stored_replies,   ///< stored replies change at a restart
  bit_flip_unseen,         ///< a record changes in one trail and nobody notices
  never_heals,             ///< the network stays cut: the pair can't get in sync
};
std::string_view to_string(Mutation mutation);

struct Plan {
  std::uint64_t seed = 0;
  PairOptions options;               ///< `me`, `boot` and `may_found` are set for each member
  Mutation mutation = Mutation::none;

  Duration busy_time{};              ///< with faults; then all is healed
  Duration heal_limit{};             ///< within which the pair must serve and be in sync again

  // Requesters.
  std::uint32_t requesters = 3, keys = 3, outstanding_max = 2;
  Duration think{};                  ///< between the operations of one requester
  double reads_beside = 0;           ///< queries that read a member's tables without asking it
  double queries = 0.3, poison = 0, big = 0, gives_up = 0, closes = 0, sleeps = 0, resends_old = 0;
  bool only_queries_and_puts = false;

  // Network.
  Duration delay{};
  double loss = 0, duplicate = 0, late = 0;
  Rate cut, isolate;                 ///< one direction between the members; requesters from one member

  // Processes and clocks.
  Rate kill, kill_both, power_loss, pause;
  double dies_in_snapshot = 0;       ///< chance at each chunk that a member installs
  double drift = 0;                  ///< of each member's clock
  double wiped = 0, old_disk = 0;    ///< chance at a restart, if the other member has everything
  Duration restart{};
  double death_report = 0, death_report_late = 0, death_report_twice = 0;
  Rate wall_jump;

  // Disks.
  Duration force{}, apply{};
  Rate force_fails, force_hangs, slow_disk, slow_tables, bit_flip, pressure;
  std::uint64_t trail_keeps = 0;     ///< records; 0: all

  // Witness.
  Duration witness_delay{};
  double witness_loss = 0, witness_late = 0;
  Rate witness_fault, witness_back;

  // Operator.
  Rate order_switch, order_takeover, order_stop;

  Duration execute{};
};

/// The world of a seed.
Plan plan_of(std::uint64_t seed);
/// A world without faults and without chance in its times: for scenarios.
Plan calm_plan();

}  // namespace pollux::testing
