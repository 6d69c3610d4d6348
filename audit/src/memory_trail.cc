// The trail in memory, for the simulator and tests: the same promises as the one in LMDB, without a disk.
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "pollux/audit/archive.h"
#include "pollux/audit/trail.h"
#include "pollux/core/check.h"
#include "trail_limits.h"

namespace pollux {
namespace {

class MemoryTrail final : public Trail {
 public:
  Result<void> append(std::span<const RecordPtr> records) override {
    const std::lock_guard lock(mutex_);
    for (const auto& record : records) {
      POLLUX_CHECK_WHY(record->record.lsn == end().lsn.next(), "records are appended without a gap");
      bytes_ += record->bytes.size();
      records_.push_back(record);
    }
    return {};
  }

  [[nodiscard]] Position base() const override {
    const std::lock_guard lock(mutex_);
    return base_;
  }
  [[nodiscard]] Position last() const override {
    const std::lock_guard lock(mutex_);
    return end();
  }

  [[nodiscard]] Result<RecordPtr> read(Lsn lsn) const override {
    const std::lock_guard lock(mutex_);
    if (auto missing = out_of_range(lsn)) return std::unexpected(*missing);
    return at(lsn);
  }

  [[nodiscard]] Result<std::vector<RecordPtr>> read_after(Lsn after, std::size_t bytes_max) const override {
    const std::lock_guard lock(mutex_);
    if (after < base_.lsn) return std::unexpected(*out_of_range(after.next()));
    std::vector<RecordPtr> found;
    std::size_t bytes = 0;
    for (Lsn lsn = after.next(); lsn <= end().lsn; lsn = lsn.next()) {
      if (!found.empty() && bytes + at(lsn)->bytes.size() > bytes_max) break;
      bytes += at(lsn)->bytes.size();
      found.push_back(at(lsn));
    }
    return found;
  }

  [[nodiscard]] Result<Hash> hash_at(Lsn lsn) const override {
    const std::lock_guard lock(mutex_);
    return hash_of(lsn);
  }

  Result<void> cut(const Position& to, const std::filesystem::path& aside) override {
    const std::lock_guard lock(mutex_);
    if (to.lsn > end().lsn) return fail(Code::not_found, "the trail cannot be cut beyond its end");
    const auto known = hash_of(to.lsn);
    if (!known) return std::unexpected(known.error());
    if (to.lsn < base_.lsn) return fail(Code::gone, "the trail cannot be cut before its base");
    if (*known != to.hash) {
      return fail(Code::damaged, "the trail has another hash at LSN " + std::to_string(to.lsn.value) +
                                     " than the one it is to be cut at");
    }
    if (to == end()) return {};
    if (!aside.empty()) {  // the simulator has no files
      std::vector<RecordPtr> above;
      for (Lsn lsn = to.lsn.next(); lsn <= end().lsn; lsn = lsn.next()) above.push_back(at(lsn));
      if (auto kept = write_archive(aside, to, above); !kept) return kept;
    }
    while (end().lsn > to.lsn) {
      bytes_ -= records_.back()->bytes.size();
      records_.pop_back();
    }
    return {};
  }

  Result<void> reset(const Position& base) override {
    const std::lock_guard lock(mutex_);
    records_.clear();
    anchors_.clear();
    bytes_ = 0;
    base_ = base;
    return {};
  }

  Result<Position> drop_below(Lsn upto, std::size_t portion) override {
    const std::lock_guard lock(mutex_);
    for (; portion > 0 && !records_.empty() && base_.lsn < upto; --portion) {
      base_ = records_.front()->position();
      if (base_.lsn.value % anchor_every == 0) anchors_[base_.lsn] = base_.hash;
      if (anchors_.size() > anchors_max) anchors_.erase(anchors_.begin());
      bytes_ -= records_.front()->bytes.size();
      records_.pop_front();
    }
    return base_;
  }

  Result<void> repair(const RecordPtr& record) override {
    const std::lock_guard lock(mutex_);
    if (auto missing = out_of_range(record->record.lsn)) return std::unexpected(*missing);
    const auto previous = hash_of(record->record.lsn.prev());
    if (at(record->record.lsn)->hash != record->hash ||
        chain_hash(*previous, record->bytes) != record->hash) {
      return fail(Code::damaged,
                  "the copy of LSN " + std::to_string(record->record.lsn.value) + " does not fit the chain");
    }
    records_[record->record.lsn.value - base_.lsn.value - 1] = record;
    return {};
  }

  [[nodiscard]] Result<std::optional<MemberState>> load_state() const override {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  Result<void> store_state(const MemberState& state) override {
    const std::lock_guard lock(mutex_);
    state_ = state;
    return {};
  }

  [[nodiscard]] TrailStats stats() const override {
    const std::lock_guard lock(mutex_);
    TrailStats stats;
    stats.base = base_;
    stats.last = end();
    stats.records = records_.size();
    stats.bytes_used = bytes_;
    if (!records_.empty()) {
      stats.oldest = records_.front()->record.time;
      stats.newest = records_.back()->record.time;
    }
    return stats;
  }

 private:
  [[nodiscard]] Position end() const { return records_.empty() ? base_ : records_.back()->position(); }
  [[nodiscard]] const RecordPtr& at(Lsn lsn) const { return records_[lsn.value - base_.lsn.value - 1]; }
  [[nodiscard]] std::optional<Error> out_of_range(Lsn lsn) const {
    const auto name = "LSN " + std::to_string(lsn.value);
    if (lsn <= base_.lsn) return Error{Code::gone, name + " is no longer in the trail"};
    if (lsn > end().lsn) return Error{Code::not_found, name + " is beyond the end of the trail"};
    return std::nullopt;
  }
  [[nodiscard]] Result<Hash> hash_of(Lsn lsn) const {
    if (lsn.value == 0) return Hash{};
    if (lsn == base_.lsn) return base_.hash;
    if (const auto anchor = anchors_.find(lsn); anchor != anchors_.end()) return anchor->second;
    if (auto missing = out_of_range(lsn)) return std::unexpected(*missing);
    return at(lsn)->hash;
  }

  mutable std::mutex mutex_;
  Position base_;
  std::deque<RecordPtr> records_;
  std::map<Lsn, Hash> anchors_;
  std::optional<MemberState> state_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Trail> make_memory_trail() { return std::make_unique<MemoryTrail>(); }

}  // namespace pollux
