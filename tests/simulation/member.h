// One member of the simulated pair: a host with its clock and its disk, on which processes start and end.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pollux/core/actions.h"
#include "pollux/core/events.h"
#include "pollux/core/pair.h"
#include "simulation/disk.h"
#include "simulation/observer.h"
#include "simulation/random.h"

namespace pollux::testing {

class Process;
class World;

class Member {
 public:
  Member(World& world, int index, Random random);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] const char* name() const { return index_ == 0 ? "A" : "B"; }
  [[nodiscard]] IncarnationId incarnation() const { return disk.state.incarnation; }
  /// Of the process that runs, or ran last.
  [[nodiscard]] RunId run() const { return run_; }
  [[nodiscard]] BootId boot() const { return boot_; }
  [[nodiscard]] MemberId id() const { return {incarnation(), run_}; }
  [[nodiscard]] bool up() const { return process_ != nullptr; }
  [[nodiscard]] bool paused() const { return paused_; }
  [[nodiscard]] PairStatus status() const;  ///< role `stopped` if no process runs
  [[nodiscard]] World& world() const { return world_; }
  [[nodiscard]] Now clock() const;
  /// How long `by_clock` of this member's clock takes in the world.
  [[nodiscard]] Duration in_world_time(Duration by_clock) const;

  /// A new run on what is on the disk.
  void start();
  void die(Death death);
  /// New, empty files with a new incarnation. The process must be down.
  void wipe();
  void pause();
  void resume();

  void receive(PeerSaid said);
  void receive(RequesterSaid said);
  void tell(Event event);  ///< operator's orders, death reports, pressure

  Disk disk;
  TellReaders told;  ///< what readers on the members' host know of this one; epoch 0: nothing
  double clock_rate = 1.0;
  Duration clock_offset{};
  std::int64_t wall_offset_us = 0;

  // Faults waiting for their moment.
  enum class ForceFault : std::uint8_t { none, io_error, disk_full, hang };
  ForceFault next_force = ForceFault::none;
  int force_slowness = 1, apply_slowness = 1;
  bool tables_stalled = false;
  std::uint64_t disk_restored = 0;  ///< how often an old copy took the place of its files

 private:
  void take_back_told();
  friend class Process;
  World& world_;
  int index_;
  Random random_;
  RunId run_;
  BootId boot_;
  bool paused_ = false;
  std::shared_ptr<Process> process_;
};

}  // namespace pollux::testing
