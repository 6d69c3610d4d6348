// The service's state as readers and the executor see it: the tables with the overlay on top.
//
// The overlay holds the changes between the applied and the last executed LSN, in memory, with versions by
// LSN. The executor sees all of it; queries see it up to the committed LSN. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "pollux/audit/tables.h"
#include "pollux/core/record.h"

namespace pollux {

class Overlay {
 public:
  /// Adds a record's changes. Records come in LSN order.
  void add(const Record& record);
  /// The newest version of `key` at or below `upto`: outer none = no version here, look into the tables;
  /// inner none = erased.
  [[nodiscard]] std::optional<std::optional<std::string>> get(std::string_view key, Lsn upto) const;
  /// Versions visible at `upto` with from <= key < to, in key order, until `row` returns false. Holds the
  /// lock shared for a bounded number of rows at a time.
  void scan(std::string_view from, std::string_view to, Lsn upto,
            const std::function<bool(std::string_view key, const std::optional<std::string>& value)>& row) const;
  /// Forgets versions at or below `applied`, but none that an open reader still needs (see open_base).
  void trim(Lsn applied);
  /// Drops versions above `lsn` (rejoin).
  void cut(Lsn lsn);
  void clear();
  [[nodiscard]] std::size_t bytes() const;

  /// Registers a reader whose table view is as of `base`; versions above `base` are kept until close_base.
  void open_base(Lsn base);
  void close_base(Lsn base);

 private:
  struct Version {
    Lsn lsn;
    std::optional<std::string> value;
  };
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::vector<Version>, std::less<>> versions_;
  std::map<Lsn, std::size_t> bases_;
  std::multimap<Lsn, std::string> order_;
  std::size_t bytes_ = 0;
};

/// One consistent read: opens a table view, reads its applied LSN, registers it, then reads at `upto`.
/// Requires upto >= applied at the time of opening; `StateView::open` takes the function that tells the
/// LSN and calls it after the view is open.
class StateView {
 public:
  /// `upto` is called after the table view is open (design, section 5): the committed LSN for queries.
  static Result<std::unique_ptr<StateView>> open(const Tables& tables, Overlay& overlay,
                                                 const std::function<Lsn()>& upto);
  ~StateView();
  StateView(const StateView&) = delete;
  StateView& operator=(const StateView&) = delete;

  [[nodiscard]] Lsn lsn() const { return upto_; }
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key);
  Result<void> scan(std::string_view from, std::string_view to,
                    const std::function<bool(std::string_view, std::string_view)>& row);
  /// Goes on to a newer state (the executor keeps one view and moves it forward).
  Result<void> renew(const std::function<Lsn()>& upto);

 private:
  StateView(std::unique_ptr<TablesView> view, Overlay& overlay);
  std::unique_ptr<TablesView> view_;
  Overlay& overlay_;
  Lsn base_, upto_;
};

}  // namespace pollux
