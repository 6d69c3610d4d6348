// Tables that fail when they are told to. Like real ones they refuse every write after a failed write.
#include "pollux/audit/tables.h"

namespace pollux {
namespace {

using Hook = std::function<std::optional<Code>(std::string_view)>;

class FaultyTables final : public Tables {
 public:
  FaultyTables(std::unique_ptr<Tables> inner, Hook should_fail)
      : inner_(std::move(inner)), should_fail_(std::move(should_fail)) {}

  [[nodiscard]] Position applied() const override { return inner_->applied(); }
  [[nodiscard]] WallTime newest_time() const override { return inner_->newest_time(); }
  [[nodiscard]] bool incomplete() const override { return inner_->incomplete(); }
  Result<void> apply(std::span<const RecordPtr> records) override {
    if (auto error = refused("apply")) return std::unexpected(*error);
    return inner_->apply(records);
  }
  [[nodiscard]] Result<SessionTable> sessions() const override {
    if (auto error = asked("sessions")) return std::unexpected(*error);
    return inner_->sessions();
  }
  [[nodiscard]] Result<std::unique_ptr<TablesView>> view() const override {
    if (auto error = asked("view")) return std::unexpected(*error);
    return inner_->view();
  }
  [[nodiscard]] Result<SnapshotChunk> read_snapshot(std::string_view cursor,
                                                    std::size_t bytes_max) const override {
    if (auto error = asked("read_snapshot")) return std::unexpected(*error);
    return inner_->read_snapshot(cursor, bytes_max);
  }
  Result<void> begin_snapshot() override {
    if (auto error = refused("begin_snapshot")) return std::unexpected(*error);
    return inner_->begin_snapshot();
  }
  Result<void> install(const SnapshotChunk& chunk) override {
    if (auto error = refused("install")) return std::unexpected(*error);
    return inner_->install(chunk);
  }
  [[nodiscard]] std::optional<SnapshotProgress> snapshot_progress() const override {
    return inner_->snapshot_progress();
  }
  [[nodiscard]] Result<std::pair<Position, Hash>> digest() const override {
    if (auto error = asked("digest")) return std::unexpected(*error);
    return inner_->digest();
  }
  [[nodiscard]] TablesStats stats() const override { return inner_->stats(); }

 private:
  [[nodiscard]] std::optional<Error> asked(std::string_view operation) const {
    if (!should_fail_) return std::nullopt;
    const auto code = should_fail_(operation);
    if (!code) return std::nullopt;
    return Error{*code, "the test made " + std::string(operation) + " fail"};
  }
  [[nodiscard]] std::optional<Error> refused(std::string_view operation) {
    if (poisoned_) return Error{poisoned_->code, "nothing more is written after: " + poisoned_->text};
    poisoned_ = asked(operation);
    return poisoned_;
  }

  std::unique_ptr<Tables> inner_;
  Hook should_fail_;
  std::optional<Error> poisoned_;
};

}  // namespace

std::unique_ptr<Tables> make_faulty_tables(std::unique_ptr<Tables> inner, Hook should_fail) {
  return std::make_unique<FaultyTables>(std::move(inner), std::move(should_fail));
}

}  // namespace pollux
