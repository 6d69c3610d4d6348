// Tables read by a process beside the member that writes them.
#include "lmdb_rows.h"

namespace pollux {
namespace {

class LmdbTablesBeside final : public TablesBeside {
 public:
  explicit LmdbTablesBeside(std::unique_ptr<LmdbEnv> env) : env_(std::move(env)), rows_(*env_) {}

  [[nodiscard]] Result<std::unique_ptr<TablesView>> view() const override { return rows_.view_of_complete(); }

 private:
  const std::unique_ptr<LmdbEnv> env_;
  const LmdbRows rows_;
};

}  // namespace

Result<std::unique_ptr<TablesBeside>> open_lmdb_tables_beside(const std::filesystem::path& directory) {
  auto env = LmdbEnv::open_beside(tables_env_options(directory, tables_map_bytes));
  if (!env) return std::unexpected(env.error());
  return std::make_unique<LmdbTablesBeside>(std::move(*env));
}

}  // namespace pollux
