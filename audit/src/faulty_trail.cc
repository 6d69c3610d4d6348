// A trail that fails when it is told to. Like a real one it refuses every write after a failed write.
#include <mutex>

#include "pollux/audit/trail.h"

namespace pollux {
namespace {

class FaultyTrail final : public Trail {
 public:
  FaultyTrail(std::unique_ptr<Trail> inner, FailHook should_fail)
      : inner_(std::move(inner)), should_fail_(std::move(should_fail)) {}

  Result<void> append(std::span<const RecordPtr> records) override {
    return write<void>("append", [&] { return inner_->append(records); });
  }
  [[nodiscard]] Position base() const override { return inner_->base(); }
  [[nodiscard]] Position last() const override { return inner_->last(); }
  [[nodiscard]] Result<RecordPtr> read(Lsn lsn) const override {
    if (auto error = asked("read")) return std::unexpected(*error);
    return inner_->read(lsn);
  }
  [[nodiscard]] Result<std::vector<RecordPtr>> read_after(Lsn after, std::size_t bytes_max) const override {
    if (auto error = asked("read_after")) return std::unexpected(*error);
    return inner_->read_after(after, bytes_max);
  }
  [[nodiscard]] Result<Hash> hash_at(Lsn lsn) const override {
    if (auto error = asked("hash_at")) return std::unexpected(*error);
    return inner_->hash_at(lsn);
  }
  Result<void> cut(const Position& to, const std::filesystem::path& aside) override {
    return write<void>("cut", [&] { return inner_->cut(to, aside); });
  }
  Result<void> reset(const Position& base) override {
    return write<void>("reset", [&] { return inner_->reset(base); });
  }
  Result<Position> drop_below(Lsn upto, std::size_t portion) override {
    return write<Position>("drop_below", [&] { return inner_->drop_below(upto, portion); });
  }
  Result<void> repair(const RecordPtr& record) override {
    return write<void>("repair", [&] { return inner_->repair(record); });
  }
  [[nodiscard]] Result<std::optional<MemberState>> load_state() const override {
    if (auto error = asked("load_state")) return std::unexpected(*error);
    return inner_->load_state();
  }
  Result<void> store_state(const MemberState& state) override {
    return write<void>("store_state", [&] { return inner_->store_state(state); });
  }
  [[nodiscard]] TrailStats stats() const override { return inner_->stats(); }

 private:
  [[nodiscard]] std::optional<Error> asked(std::string_view operation) const {
    if (!should_fail_) return std::nullopt;
    const auto code = should_fail_(operation);
    if (!code) return std::nullopt;
    return Error{*code, "the test made " + std::string(operation) + " fail"};
  }
  template <class T, class Operation>
  Result<T> write(std::string_view name, Operation operation) {
    if (poisoned_)
      return std::unexpected(Error{poisoned_->code, "nothing more is written after: " + poisoned_->text});
    if (auto error = asked(name)) {
      poisoned_ = error;
      return std::unexpected(*error);
    }
    return operation();
  }

  std::unique_ptr<Trail> inner_;
  FailHook should_fail_;
  std::optional<Error> poisoned_;
};

}  // namespace

std::unique_ptr<Trail> make_faulty_trail(std::unique_ptr<Trail> inner, FailHook should_fail) {
  return std::make_unique<FaultyTrail>(std::move(inner), std::move(should_fail));
}

}  // namespace pollux
