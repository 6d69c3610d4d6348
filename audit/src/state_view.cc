#include <algorithm>

#include "pollux/audit/state.h"
#include "pollux/core/check.h"

namespace pollux {
namespace {

/// The overlay's rows of a scan, one after the other.
class OverlayRows {
 public:
  OverlayRows(const Overlay& overlay, std::string_view from, std::string_view to, Lsn upto)
      : overlay_(overlay), next_(from), to_(to), upto_(upto) {}

  /// The next row, or null at the end.
  const Overlay::Row* peek() {
    while (at_ == rows_.size() && next_) {
      auto [rows, next] = overlay_.next_rows(*next_, std::exchange(after_, true), to_, upto_);
      rows_ = std::move(rows);
      next_ = std::move(next);
      at_ = 0;
    }
    return at_ < rows_.size() ? &rows_[at_] : nullptr;
  }
  void pop() { ++at_; }

 private:
  const Overlay& overlay_;
  std::optional<std::string> next_;
  std::string_view to_;
  Lsn upto_;
  bool after_ = false;
  std::vector<Overlay::Row> rows_;
  std::size_t at_ = 0;
};

Error tables_went_back() {
  return {Code::busy, "the tables are being replaced by a snapshot; try again when this member is in sync"};
}

}  // namespace

StateView::StateView(std::unique_ptr<TablesView> view, Overlay& overlay, Lsn base, Lsn upto)
    : view_(std::move(view)), overlay_(overlay), base_(base), upto_(upto) {}

StateView::~StateView() { overlay_.close_base(base_); }

Result<std::unique_ptr<StateView>> StateView::open(const Tables& tables, Overlay& overlay,
                                                   const std::function<Lsn()>& upto) {
  const Lsn registered = overlay.open_base();
  auto view = tables.view();
  if (!view || (*view)->applied() < registered) {
    overlay.close_base(registered);
    return std::unexpected(view ? tables_went_back() : view.error());
  }
  const Lsn base = (*view)->applied();
  overlay.move_base(registered, base);
  // What is applied is committed, so reading at the base is right even if `upto` lags behind.
  return std::unique_ptr<StateView>(new StateView(std::move(*view), overlay, base, std::max(base, upto())));
}

Result<void> StateView::renew(const std::function<Lsn()>& upto) {
  const Lsn registered = overlay_.open_base();
  auto renewed = view_->renew();
  if (renewed && view_->applied() < registered) renewed = std::unexpected(tables_went_back());
  if (!renewed) {
    overlay_.close_base(registered);
    return renewed;
  }
  overlay_.close_base(base_);
  base_ = view_->applied();
  overlay_.move_base(registered, base_);
  upto_ = std::max(base_, upto());
  return {};
}

void StateView::advance(Lsn upto) {
  POLLUX_CHECK_WHY(upto >= upto_, "a view goes forward only");
  upto_ = upto;
}

Result<std::optional<std::string>> StateView::get(std::string_view key) {
  if (auto version = overlay_.get(key, upto_)) return std::move(*version);
  return view_->get(key);
}

Result<void> StateView::scan(std::string_view from, std::string_view to,
                             const std::function<bool(std::string_view, std::string_view)>& row) {
  OverlayRows over(overlay_, from, to, upto_);
  bool go_on = true;
  auto scanned = view_->scan(from, to, [&](std::string_view key, std::string_view value) {
    while (const Overlay::Row* newer = over.peek()) {
      const int order = std::string_view(newer->key).compare(key);
      if (order > 0) break;
      if (newer->value) go_on = row(newer->key, *newer->value);
      over.pop();
      if (!go_on) return false;
      if (order == 0) return true;  // the table's row is the older version, or erased
    }
    return go_on = row(key, value);
  });
  if (!scanned) return scanned;
  while (const Overlay::Row* newer = go_on ? over.peek() : nullptr) {
    if (newer->value) go_on = row(newer->key, *newer->value);
    over.pop();
  }
  return {};
}

}  // namespace pollux
