// The tables in memory, for the simulator and tests: the same promises as those in LMDB, without a disk.
#include <algorithm>
#include <map>
#include <mutex>

#include "change_set.h"
#include "pollux/audit/tables.h"
#include "pollux/core/check.h"
#include "pollux/proto/record_codec.h"
#include "snapshot_rows.h"
#include "state_digest.h"

namespace pollux {
namespace {

struct State {
  Position applied;
  WallTime newest_time;
  std::map<std::string, std::string, std::less<>> rows;
};

Result<void> scan_rows(const State& state, std::string_view from, std::string_view to,
                       const std::function<bool(std::string_view, std::string_view)>& row) {
  for (auto at = state.rows.lower_bound(from); at != state.rows.end(); ++at) {
    if (!to.empty() && at->first >= to) break;
    if (!row(at->first, at->second)) break;
  }
  return {};
}

class MemoryTables final : public Tables {
 public:
  [[nodiscard]] Position applied() const override {
    const std::lock_guard lock(mutex_);
    return state_->applied;
  }
  [[nodiscard]] WallTime newest_time() const override {
    const std::lock_guard lock(mutex_);
    return state_->newest_time;
  }
  [[nodiscard]] bool incomplete() const override {
    const std::lock_guard lock(mutex_);
    return progress_.has_value();
  }
  [[nodiscard]] std::optional<SnapshotProgress> snapshot_progress() const override {
    const std::lock_guard lock(mutex_);
    return progress_;
  }

  Result<void> apply(std::span<const RecordPtr> records) override {
    if (records.empty()) return {};
    const std::lock_guard lock(mutex_);
    POLLUX_CHECK_WHY(!progress_ || progress_->rows_complete,
                     "records are applied only when all rows of a snapshot are there");
    Lsn lsn = state_->applied.lsn;
    for (const auto& record : records) {
      POLLUX_CHECK_WHY(record->record.lsn == lsn.next(), "records are applied without a gap");
      lsn = record->record.lsn;
    }
    if (auto collected = changes_.collect(records); !collected) return collected;
    State& state = own_state();
    changes_.for_each([&](const ChangeView& change) {
      if (change.value) {
        state.rows.insert_or_assign(std::string(change.key), std::string(*change.value));
      } else {
        if (const auto at = state.rows.find(change.key); at != state.rows.end()) state.rows.erase(at);
      }
      return true;
    });
    changes_.clear();
    for (const auto& record : records) sessions_.apply(record->record);
    static_cast<void>(sessions_.take_dirty());
    state.applied = records.back()->position();
    state.newest_time = records.back()->record.time;
    if (progress_ && state.applied.lsn >= progress_->last_tag->lsn) progress_.reset();
    return {};
  }

  [[nodiscard]] Result<SessionTable> sessions() const override {
    const std::lock_guard lock(mutex_);
    return sessions_;
  }
  [[nodiscard]] Result<std::unique_ptr<TablesView>> view() const override;

  [[nodiscard]] Result<SnapshotChunk> read_snapshot(std::string_view cursor,
                                                    std::size_t bytes_max) const override {
    const std::lock_guard lock(mutex_);
    const ScanRows scan = [&](std::string_view from, const auto& row) {
      return scan_rows(*state_, from, {}, row);
    };
    auto chunk = make_chunk(cursor, bytes_max, scan, sessions_);
    if (!chunk) return chunk;
    chunk->tag = state_->applied;
    chunk->time = state_->newest_time;
    return chunk;
  }

  Result<void> begin_snapshot() override {
    const std::lock_guard lock(mutex_);
    state_ = std::make_shared<State>();
    sessions_.clear();
    joiner_.clear();
    staged_.clear();
    progress_ = SnapshotProgress{};
    return {};
  }

  Result<void> install(const SnapshotChunk& chunk) override {
    const std::lock_guard lock(mutex_);
    POLLUX_CHECK_WHY(progress_ && !progress_->rows_complete,
                     "a chunk is installed only into a begun snapshot");
    std::vector<std::pair<std::string, std::string>> whole_rows;
    for (const Change& row : chunk.rows) {
      auto taken = joiner_.take(row, [&](std::string_view key, std::string_view value) -> Result<void> {
        if (key[0] != snapshot_row && key[0] != snapshot_head && key[0] != snapshot_replies) {
          return fail(Code::malformed, "a snapshot has a row of an unknown kind");
        }
        whole_rows.emplace_back(key, value);
        return {};
      });
      if (!taken) {
        joiner_.clear();
        return taken;
      }
    }
    if (auto ended = joiner_.end(chunk); !ended) return ended;
    State& state = own_state();
    for (auto& [key, value] : whole_rows) {
      if (key[0] == snapshot_row) {
        state.rows.insert_or_assign(key.substr(1), std::move(value));
      } else {
        staged_.insert_or_assign(std::move(key), std::move(value));
      }
    }
    if (!progress_->first_tag) {
      progress_->first_tag = chunk.tag;
      state.newest_time = chunk.time;
    }
    progress_->last_tag = std::max(chunk.tag, progress_->last_tag.value_or(chunk.tag));
    progress_->cursor = chunk.next;
    if (!chunk.next.empty()) return {};
    std::unordered_map<SessionId, Session> joined;
    for (const auto& [key, value] : staged_) {
      if (!join_session(key, value, joined))
        return fail(Code::malformed, "a session of a snapshot cannot be decoded");
    }
    staged_.clear();
    for (auto& [id, session] : joined) sessions_.restore(id, std::move(session));
    progress_->rows_complete = true;
    state.applied = *progress_->first_tag;
    if (progress_->last_tag->lsn <= state.applied.lsn) progress_.reset();
    return {};
  }

  [[nodiscard]] Result<std::pair<Position, Hash>> digest() const override {
    const std::lock_guard lock(mutex_);
    StateDigest digest;
    for (const auto& [key, value] : state_->rows) digest.row(key, value);
    std::vector<SessionId> ids;
    for (const auto& [id, session] : sessions_.all()) ids.push_back(id);
    std::ranges::sort(ids);
    for (const SessionId& id : ids) {
      digest.session({reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()},
                     encode_session(*sessions_.find(id)));
    }
    return std::pair{state_->applied, digest.finish()};
  }

  [[nodiscard]] TablesStats stats() const override {
    const std::lock_guard lock(mutex_);
    TablesStats stats;
    stats.applied = state_->applied;
    stats.rows = state_->rows.size();
    stats.sessions = sessions_.size();
    for (const auto& [key, value] : state_->rows) stats.bytes_used += key.size() + value.size();
    return stats;
  }

  [[nodiscard]] std::shared_ptr<const State> state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

 private:
  /// The state to change: a copy if a view still reads the present one.
  State& own_state() {
    if (state_.use_count() > 1) state_ = std::make_shared<State>(*state_);
    return *state_;
  }

  mutable std::mutex mutex_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
  SessionTable sessions_;
  ChangeSet changes_;
  FragmentJoiner joiner_;
  std::map<std::string, std::string> staged_;
  std::optional<SnapshotProgress> progress_;
};

class MemoryTablesView final : public TablesView {
 public:
  explicit MemoryTablesView(const MemoryTables& tables) : tables_(tables), state_(tables.state()) {}
  [[nodiscard]] Lsn applied() const override { return state_->applied.lsn; }
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) override {
    const auto found = state_->rows.find(key);
    if (found == state_->rows.end()) return std::nullopt;
    return found->second;
  }
  Result<void> scan(std::string_view from, std::string_view to,
                    const std::function<bool(std::string_view, std::string_view)>& row) override {
    return scan_rows(*state_, from, to, row);
  }
  Result<void> renew() override {
    state_ = tables_.state();
    return {};
  }

 private:
  const MemoryTables& tables_;
  std::shared_ptr<const State> state_;
};

Result<std::unique_ptr<TablesView>> MemoryTables::view() const {
  return std::make_unique<MemoryTablesView>(*this);
}

}  // namespace

std::unique_ptr<Tables> make_memory_tables() { return std::make_unique<MemoryTables>(); }

}  // namespace pollux
