// Tables read by a process beside the member that writes them.
#include <mutex>
#include <optional>

#include "lmdb_rows.h"

namespace pollux {
namespace {

class LmdbTablesBeside final : public TablesBeside {
 public:
  explicit LmdbTablesBeside(std::unique_ptr<LmdbEnv> env) : env_(std::move(env)), rows_(*env_) {}

  [[nodiscard]] Result<std::unique_ptr<TablesView>> view() const override {
    auto txn = env_->read();
    if (!txn) return std::unexpected(txn.error());
    auto applied = applied_in(txn->get());
    if (!applied) return std::unexpected(applied.error());
    return rows_.view_at(std::move(*txn), *applied);
  }

 private:
  /// While nothing is written, every transaction has the same number and sees the same.
  [[nodiscard]] Result<Lsn> applied_in(MDB_txn* txn) const {
    const std::size_t number = mdb_txn_id(txn);
    {
      const std::lock_guard lock(mutex_);
      if (seen_ && seen_->txn == number) return seen_->applied;
    }
    auto progress = env_->get_meta(txn, progress_key);
    if (!progress) return std::unexpected(progress.error());
    if (*progress) return fail(Code::busy, "the tables are being replaced by a snapshot");
    auto applied = rows_.applied_in(txn);
    if (!applied) return std::unexpected(applied.error());
    const std::lock_guard lock(mutex_);
    seen_ = Seen{.txn = number, .applied = applied->lsn};
    return applied->lsn;
  }

  struct Seen {
    std::size_t txn;
    Lsn applied;
  };
  const std::unique_ptr<LmdbEnv> env_;
  const LmdbRows rows_;
  mutable std::mutex mutex_;
  mutable std::optional<Seen> seen_;
};

}  // namespace

Result<std::unique_ptr<TablesBeside>> open_lmdb_tables_beside(const std::filesystem::path& directory) {
  auto env = LmdbEnv::open_beside(tables_env_options(directory, tables_map_bytes));
  if (!env) return std::unexpected(env.error());
  return std::make_unique<LmdbTablesBeside>(std::move(*env));
}

}  // namespace pollux
