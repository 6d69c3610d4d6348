// The service's state as readers and the executor see it: the tables with the overlay on top.
//
// The overlay holds the changes between the applied and the last executed LSN, in memory, with versions by
// LSN. The executor sees all of it; queries see it up to the committed LSN. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pollux/audit/tables.h"
#include "pollux/core/record.h"

namespace pollux {

/// Versions of rows by LSN. One thread adds and cuts, one trims, any number read.
///
/// A key's versions are in one of a few shards with a lock each, so that the executor, queries and trimming
/// seldom meet; what a reader sees is decided by LSNs, never by which lock was taken first. Keys are in an
/// ordered index too while there are scans. Values are not copied: a version shares the record that made it.
class Overlay {
 public:
  Overlay();
  ~Overlay();
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  /// Adds a record's changes. Records come in LSN order. Readers at its LSN must begin after this returned.
  void add(const RecordPtr& record);

  /// The newest version of `key` at or below `upto`: outer none = no version here, look into the tables;
  /// inner none = erased.
  [[nodiscard]] std::optional<std::optional<std::string>> get(std::string_view key, Lsn upto) const;

  struct Row {
    std::string key;
    std::optional<std::string> value;  ///< none: erased
  };
  /// Versions visible at `upto` with from <= key (`after`: from < key) < to (empty: to the end), in key
  /// order: the first few, as many as can be found without holding a lock for long. The second is the key to
  /// go on after; none: that was all. There can be no row and yet more to come.
  [[nodiscard]] std::pair<std::vector<Row>, std::optional<std::string>> next_rows(std::string_view from,
                                                                                  bool after,
                                                                                  std::string_view to,
                                                                                  Lsn upto) const;
  /// All of them, until `row` returns false.
  void scan(
      std::string_view from, std::string_view to, Lsn upto,
      const std::function<bool(std::string_view key, const std::optional<std::string>& value)>& row) const;

  /// Forgets versions at or below `applied`, but none that an open base still needs.
  void trim(Lsn applied);
  /// Drops versions above `lsn` (rejoin). Nobody may be reading above it.
  void cut(Lsn lsn);
  /// Nobody may be reading.
  void clear();
  /// Of keys and values, roughly.
  [[nodiscard]] std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  /// Registers a reader *before* it opens its table view: from now on no version is forgotten that such a
  /// view may lack. Returns the base, to be moved to the view's applied LSN once that is known, and closed at
  /// the end. (The other way round, view first, versions between its applied LSN and a newer one could be
  /// trimmed away before they are registered.)
  [[nodiscard]] Lsn open_base();
  void move_base(Lsn from, Lsn to);
  void close_base(Lsn base);

 private:
  struct Shard;
  struct Index;
  static constexpr std::size_t shards = 16;

  void add_change(const RecordPtr& record, const ChangeView& change);
  void make_index() const;
  void drop_unused_index();
  template <class Forget>
  void forget(std::span<const RecordPtr> records, Forget forget_versions);

  std::unique_ptr<Shard[]> shards_;
  std::unique_ptr<Index> index_;
  mutable std::mutex order_mutex_;
  std::deque<RecordPtr> order_;  // records with versions here, by LSN
  mutable std::mutex bases_mutex_;
  std::map<Lsn, std::size_t> bases_;
  Lsn trimmed_;  // every table view opened from now on has applied at least this
  std::atomic<std::size_t> bytes_ = 0;
};

/// One consistent read: registers with the overlay, opens a table view, reads its applied LSN, then chooses
/// the LSN to read at. For one thread at a time.
class StateView {
 public:
  /// `upto` is called after the table view is open (design, section 5): the committed LSN for queries, the
  /// last executed one for the executor. It must be at least what was applied before `upto` is called.
  static Result<std::unique_ptr<StateView>> open(const Tables& tables, Overlay& overlay,
                                                 const std::function<Lsn()>& upto);
  ~StateView();
  StateView(const StateView&) = delete;
  StateView& operator=(const StateView&) = delete;

  [[nodiscard]] Lsn lsn() const { return upto_; }
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key);
  /// Rows with from <= key < to (to empty: to the end) in key order until `row` returns false. `row` may read
  /// from this view, but neither renew nor advance it.
  Result<void> scan(std::string_view from, std::string_view to,
                    const std::function<bool(std::string_view, std::string_view)>& row);
  /// Goes on to a newer state (the executor keeps one view and moves it forward). Until it is renewed, a view
  /// keeps the overlay from being trimmed beyond its base and LMDB from reusing pages: not for longer than a
  /// batch.
  Result<void> renew(const std::function<Lsn()>& upto);
  /// Reads at a newer LSN on the same table view: cheap, after each record.
  void advance(Lsn upto);

 private:
  StateView(std::unique_ptr<TablesView> view, Overlay& overlay, Lsn base, Lsn upto);
  std::unique_ptr<TablesView> view_;
  Overlay& overlay_;
  Lsn base_, upto_;
};

}  // namespace pollux
