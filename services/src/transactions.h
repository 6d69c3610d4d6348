// The transactions a service is given: reads of one state, and staged changes on top of it.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/audit/state.h"
#include "pollux/core/record.h"
#include "pollux/services/service.h"

namespace pollux {

/// Reads of a query, on the committed state.
class ViewReadTxn final : public ReadTxn {
 public:
  explicit ViewReadTxn(StateView& view) : view_(view) {}
  std::optional<std::string> get(std::string_view key) override;
  void scan(std::string_view from, std::string_view to,
            const std::function<bool(std::string_view, std::string_view)>& row) override;

 private:
  StateView& view_;
};

/// What one request reads and changes: the state with the request's own changes on top.
class StagedWriteTxn final : public WriteTxn {
 public:
  explicit StagedWriteTxn(StateView& view) : view_(view) {}
  std::optional<std::string> get(std::string_view key) override;
  void scan(std::string_view from, std::string_view to,
            const std::function<bool(std::string_view, std::string_view)>& row) override;
  void put(std::string_view key, std::string_view value) override;
  void erase(std::string_view key) override;

  /// The changes in key order; leaves the transaction empty.
  std::vector<Change> take_changes();

 private:
  using Staged = std::pmr::map<std::string, std::optional<std::string>, std::less<>>;
  void stage(std::string_view key, std::optional<std::string> value);

  StateView& view_;
  // Most requests change a few rows: then the map's nodes need no memory of their own.
  alignas(std::max_align_t) std::array<std::byte, 1024> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  Staged staged_{&memory_};
  std::size_t bytes_ = 0;
  bool scanning_ = false;
};

}  // namespace pollux
