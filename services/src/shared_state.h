// The state that a member's threads share: tables, overlay, and how far committing and applying are.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>

#include "pollux/audit/state.h"
#include "pollux/audit/tables.h"
#include "pollux/core/record.h"

namespace pollux {

class SharedState {
 public:
  explicit SharedState(Tables& tables) : tables_(tables), applied_(tables.applied().lsn.value) {
    committed_ = applied_.load();
  }

  [[nodiscard]] Tables& tables() { return tables_; }
  [[nodiscard]] Overlay& overlay() { return overlay_; }

  /// What queries see. Never below what is applied, since it is raised first.
  [[nodiscard]] Lsn committed() const { return {committed_.load(std::memory_order_acquire)}; }
  [[nodiscard]] Lsn applied() const { return {applied_.load(std::memory_order_acquire)}; }
  void set_committed(Lsn lsn) { committed_.store(lsn.value, std::memory_order_release); }
  void set_applied(Lsn lsn) { applied_.store(lsn.value, std::memory_order_release); }

  // ---- the overlay: the executor adds what it executed, core's thread what came from the peer ----

  /// Counts the resets of the executor.
  [[nodiscard]] std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  /// Adds what the executor of that generation executed; false, and nothing added, if there was a reset.
  bool add_executed(const RecordPtr& record, std::uint64_t generation);
  /// Adds a record from the peer or from the trail; one that is there already is passed over.
  void add_received(const RecordPtr& record);
  /// ResetExecutor: from now on `add_executed` of older generations adds nothing, and what they added above
  /// `last` is gone. Returns the new generation.
  std::uint64_t begin_generation(Lsn last);
  /// Rejoin: versions above `last` are gone.
  void cut(Lsn last);
  /// A snapshot replaces everything.
  void clear();
  /// Forgets what the tables show by now, in small portions so that nobody waits long for the overlay.
  void trim(Lsn applied);

  /// The latest record time seen by this process: record times never go back.
  [[nodiscard]] WallTime newest_time() const { return {newest_us_.load(std::memory_order_relaxed)}; }
  void note_time(WallTime time);

 private:
  Tables& tables_;
  Overlay overlay_;
  std::atomic<std::uint64_t> committed_{0}, applied_{0}, generation_{0};
  std::atomic<std::int64_t> newest_us_{0};
  std::mutex gate_;       ///< between a reset and an add of the generation before it
  Lsn last_;              ///< newest record in the overlay
  Lsn trimmed_;           ///< used by the applier's thread only
};

}  // namespace pollux
