#include "lmdb_rows.h"

#include "bytes.h"
#include "pollux/core/check.h"
#include "printable.h"

namespace pollux {
namespace {

class LmdbTablesView final : public TablesView {
 public:
  LmdbTablesView(const LmdbRows& rows, LmdbRead txn, Lsn applied)
      : rows_(rows), txn_(std::move(txn)), applied_(applied) {}

  [[nodiscard]] Lsn applied() const override { return applied_; }

  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) override {
    return rows_.get(txn_.get(), key);
  }

  Result<void> scan(std::string_view from, std::string_view to,
                    const std::function<bool(std::string_view, std::string_view)>& row) override {
    return rows_.scan(txn_.get(), from, to, row);
  }

  Result<void> renew() override {
    if (auto renewed = txn_.renew(); !renewed) return renewed;
    auto applied = rows_.applied_in(txn_.get());
    if (!applied) return std::unexpected(applied.error());
    applied_ = applied->lsn;
    return {};
  }

 private:
  const LmdbRows& rows_;
  LmdbRead txn_;
  Lsn applied_;
};

}  // namespace

LmdbEnvOptions tables_env_options(const std::filesystem::path& directory, std::uint64_t map_bytes) {
  // No read-ahead: rows are read here and there, and the tables may be larger than memory.
  return {.directory = directory,
          .what = "tables",
          .format = "pollux tables 1",
          .databases = {{"rows", 0}, {"sessions", 0}, {"staged", 0}},
          .meta_names = {applied_key, progress_key, newest_time_key},
          .map_bytes = map_bytes,
          .prefill_bytes = 0,
          .read_ahead = false};
}

Result<std::string_view> LmdbRows::plain(std::string_view key, std::string_view stored, ChecksumOf of) const {
  if (stored.size() >= row_sum_bytes) {
    const auto value = stored.substr(row_sum_bytes);
    if (get_number<std::uint64_t>(stored) == row_checksum(key, value, of)) return value;
  }
  return fail(Code::damaged, (of == ChecksumOf::row ? "the row \"" : "the session \"") + printable(key) +
                                 "\" of the tables in " + env_.directory().string() +
                                 " does not fit its checksum; stop this member, move that directory away and "
                                 "start it again: it then "
                                 "fetches the tables from its peer");
}

Result<Position> LmdbRows::applied_in(MDB_txn* txn) const {
  auto bytes = env_.get_meta(txn, applied_key);
  if (!bytes) return std::unexpected(bytes.error());
  if (!*bytes) return Position{};
  POLLUX_CHECK((*bytes)->size() == position_bytes);
  return get_position(**bytes);
}

Result<std::optional<std::string>> LmdbRows::get(MDB_txn* txn, std::string_view key) const {
  if (key.empty() || key.size() > key_bytes_max) return std::nullopt;  // no row has such a key
  MDB_val name = to_val(key);
  MDB_val value{};
  const int rc = mdb_get(txn, rows_, &name, &value);
  if (rc == MDB_NOTFOUND) return std::nullopt;
  if (rc != 0) return std::unexpected(env_.error(rc, "read"));
  auto bytes = plain(key, to_view(value), ChecksumOf::row);
  if (!bytes) return std::unexpected(bytes.error());
  return std::string(*bytes);
}

Result<void> LmdbRows::scan(MDB_txn* txn, std::string_view from, std::string_view to,
                            const std::function<bool(std::string_view, std::string_view)>& row) const {
  LmdbCursor cursor;
  if (const int rc = cursor.open(txn, rows_); rc != 0) return std::unexpected(env_.error(rc, "read"));
  MDB_val key = to_val(from);
  MDB_val value{};
  int rc = mdb_cursor_get(cursor.get(), &key, &value, from.empty() ? MDB_FIRST : MDB_SET_RANGE);
  for (; rc == 0; rc = mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT)) {
    const auto name = to_view(key);
    if (!to.empty() && name >= to) return {};
    auto bytes = plain(name, to_view(value), ChecksumOf::row);
    if (!bytes) return std::unexpected(bytes.error());
    if (!row(name, *bytes)) return {};
  }
  if (rc != MDB_NOTFOUND) return std::unexpected(env_.error(rc, "read"));
  return {};
}

Result<std::unique_ptr<TablesView>> LmdbRows::view() const {
  auto txn = env_.read();
  if (!txn) return std::unexpected(txn.error());
  auto applied = applied_in(txn->get());
  if (!applied) return std::unexpected(applied.error());
  return view_at(std::move(*txn), applied->lsn);
}

std::unique_ptr<TablesView> LmdbRows::view_at(LmdbRead txn, Lsn applied) const {
  return std::make_unique<LmdbTablesView>(*this, std::move(txn), applied);
}

}  // namespace pollux
