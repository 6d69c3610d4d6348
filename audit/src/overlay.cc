#include <algorithm>
#include <atomic>
#include <set>
#include <unordered_map>

#include "pollux/audit/state.h"
#include "pollux/core/check.h"

namespace pollux {
namespace {

constexpr std::size_t keys_a_step = 64;      // of a scan, under the index's lock
constexpr std::size_t records_a_step = 256;  // of trimming, under the order's lock
constexpr std::size_t version_overhead = 64;
constexpr unsigned trims_without_scan = 16;  // then the index is dropped

struct KeyHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
};

struct Version {
  Lsn lsn;
  RecordPtr record;  // keeps the change alive
  const Change* change = nullptr;
};

std::size_t size_of(const Change& change) {
  return change.key.size() + (change.value ? change.value->size() : 0) + version_overhead;
}

/// Of one key, ascending by LSN. Nearly always there is one, so the newest needs no memory of its own. A key
/// that is changed by every request has thousands: finding one is a binary search, forgetting the oldest
/// moves a mark.
class Versions {
 public:
  void add(Version version) {
    if (newest_.change != nullptr) older_.push_back(std::move(newest_));
    newest_ = std::move(version);
  }
  [[nodiscard]] const Version* at(Lsn upto) const {
    if (newest_.lsn <= upto) return &newest_;
    const auto end =
        std::upper_bound(older_.begin() + static_cast<std::ptrdiff_t>(first_), older_.end(), upto,
                         [](Lsn lsn, const Version& version) { return lsn < version.lsn; });
    return end == older_.begin() + static_cast<std::ptrdiff_t>(first_) ? nullptr : &*std::prev(end);
  }
  /// Returns the bytes it forgot; then it may be empty.
  std::size_t forget_upto(Lsn lsn) {
    std::size_t bytes = 0;
    for (; first_ < older_.size() && older_[first_].lsn <= lsn; ++first_) bytes += drop(older_[first_]);
    if (first_ == older_.size() || first_ > older_.size() / 2) {
      older_.erase(older_.begin(), older_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    if (older_.empty() && newest_.change != nullptr && newest_.lsn <= lsn) bytes += drop(newest_);
    return bytes;
  }
  std::size_t forget_above(Lsn lsn) {
    std::size_t bytes = 0;
    while (newest_.change != nullptr && newest_.lsn > lsn) {
      bytes += drop(newest_);
      if (first_ < older_.size()) {
        newest_ = std::move(older_.back());
        older_.pop_back();
      }
    }
    return bytes;
  }
  [[nodiscard]] bool empty() const { return newest_.change == nullptr; }

 private:
  static std::size_t drop(Version& version) {
    const std::size_t bytes = size_of(*version.change);
    version = {};
    return bytes;
  }
  Version newest_;
  std::vector<Version> older_;
  std::size_t first_ = 0;  // of older_ that is still kept
};

}  // namespace

struct Overlay::Shard {
  std::mutex mutex;
  std::unordered_map<std::string, Versions, KeyHash, std::equal_to<>> keys;
};

/// The keys of all shards in order. Made when a scan asks for it, kept up to date as long as scans come:
/// a service that never scans does not pay for order, which costs more than all the rest of the overlay.
struct Overlay::Index {
  std::mutex making;                // one scan makes it, others wait
  std::atomic<bool> wanted{false};  // read under a shard's lock: keys added or forgotten from now on are noted
  std::atomic<bool> scanned{false};
  unsigned unused = 0;              // trims since the last scan; of the thread that trims
  std::mutex mutex;                 // taken after a shard's
  bool complete = false;
  std::set<std::string_view> keys;  // they point to the keys in the shards
};

Overlay::Overlay() : shards_(std::make_unique<Shard[]>(shards)), index_(std::make_unique<Index>()) {}
Overlay::~Overlay() = default;

Overlay::Shard& Overlay::shard_of(std::string_view key) const {
  // Other bits than those the map in the shard uses.
  return shards_[(KeyHash{}(key) >> 48) % shards];
}

void Overlay::add(const RecordPtr& record) {
  if (record->record.changes.empty()) return;
  for (const Change& change : record->record.changes) add_change(record, change);
  const std::lock_guard lock(order_mutex_);
  POLLUX_CHECK_WHY(order_.empty() || order_.back()->record.lsn < record->record.lsn,
                   "records come in LSN order");
  order_.push_back(record);
}

void Overlay::add(const Record& record) {
  auto copy = std::make_shared<SealedRecord>();
  copy->record.lsn = record.lsn;
  copy->record.changes = record.changes;
  add(RecordPtr(std::move(copy)));
}

void Overlay::add_change(const RecordPtr& record, const Change& change) {
  bytes_.fetch_add(size_of(change), std::memory_order_relaxed);
  Shard& shard = shard_of(change.key);
  const std::lock_guard lock(shard.mutex);
  const auto [at, added] = shard.keys.try_emplace(change.key);
  at->second.add({record->record.lsn, record, &change});
  if (!added || !index_->wanted) return;
  const std::lock_guard index_lock(index_->mutex);
  index_->keys.insert(at->first);
}

void Overlay::make_index() const {
  const std::lock_guard making(index_->making);
  {
    const std::lock_guard lock(index_->mutex);
    if (index_->complete) return;
  }
  // A key that a shard gets after this is noted by who adds it; the others are found there.
  index_->wanted = true;
  for (std::size_t i = 0; i < shards; ++i) {
    const std::lock_guard shard_lock(shards_[i].mutex);
    const std::lock_guard lock(index_->mutex);
    for (const auto& [key, versions] : shards_[i].keys) index_->keys.insert(key);
  }
  const std::lock_guard lock(index_->mutex);
  index_->complete = true;
}

void Overlay::drop_unused_index() {
  if (!index_->wanted) return;
  if (index_->scanned.exchange(false)) {
    index_->unused = 0;
    return;
  }
  if (++index_->unused < trims_without_scan) return;
  index_->unused = 0;
  // With all shards locked nobody is between looking at `wanted` and noting a key.
  const std::lock_guard making(index_->making);
  std::vector<std::unique_lock<std::mutex>> locks;
  for (std::size_t i = 0; i < shards; ++i) locks.emplace_back(shards_[i].mutex);
  const std::lock_guard lock(index_->mutex);
  index_->wanted = index_->complete = false;
  index_->keys.clear();
}

std::optional<std::optional<std::string>> Overlay::get(std::string_view key, Lsn upto) const {
  Version found;
  {
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    const auto at = shard.keys.find(key);
    if (at == shard.keys.end()) return std::nullopt;
    const Version* const version = at->second.at(upto);
    if (version == nullptr) return std::nullopt;
    found = *version;  // the record, not the value: that may be megabytes, copied without the lock
  }
  return found.change->value;
}

std::pair<std::vector<Overlay::Row>, std::optional<std::string>> Overlay::next_rows(std::string_view from,
                                                                                    bool after,
                                                                                    std::string_view to,
                                                                                    Lsn upto) const {
  std::vector<std::string> keys;
  bool more = false;
  index_->scanned = true;
  for (bool looked = false; !looked;) {
    make_index();
    const std::lock_guard lock(index_->mutex);
    if (!index_->complete) continue;  // dropped in between
    looked = true;
    auto at = after ? index_->keys.upper_bound(from) : index_->keys.lower_bound(from);
    for (; at != index_->keys.end() && (to.empty() || *at < to); ++at) {
      if (keys.size() == keys_a_step) {
        more = true;
        break;
      }
      keys.emplace_back(*at);
    }
  }
  std::pair<std::vector<Row>, std::optional<std::string>> found;
  if (more) found.second = keys.back();
  for (std::string& key : keys) {
    // Trimmed since: then the reader's table view has it.
    if (auto value = get(key, upto)) found.first.push_back({std::move(key), std::move(*value)});
  }
  return found;
}

void Overlay::scan(
    std::string_view from, std::string_view to, Lsn upto,
    const std::function<bool(std::string_view, const std::optional<std::string>&)>& row) const {
  std::string start(from);
  for (bool after = false;; after = true) {
    auto [rows, next] = next_rows(start, after, to, upto);
    for (const Row& found : rows) {
      if (!row(found.key, found.value)) return;
    }
    if (!next) return;
    start = std::move(*next);
  }
}

template <class Forget>
void Overlay::forget(const Change& change, Forget forget_versions) {
  Shard& shard = shard_of(change.key);
  const std::lock_guard lock(shard.mutex);
  const auto at = shard.keys.find(change.key);
  if (at == shard.keys.end()) return;
  bytes_.fetch_sub(forget_versions(at->second), std::memory_order_relaxed);
  if (!at->second.empty()) return;
  if (index_->wanted) {
    const std::lock_guard index_lock(index_->mutex);
    index_->keys.erase(at->first);
  }
  shard.keys.erase(at);
}

void Overlay::trim(Lsn applied) {
  Lsn limit = applied;
  {
    const std::lock_guard lock(bases_mutex_);
    if (!bases_.empty()) limit = std::min(limit, bases_.begin()->first);
    limit = trimmed_ = std::max(trimmed_, limit);
  }
  std::vector<RecordPtr> gone;
  do {
    gone.clear();
    {
      const std::lock_guard lock(order_mutex_);
      while (!order_.empty() && order_.front()->record.lsn <= limit && gone.size() < records_a_step) {
        gone.push_back(std::move(order_.front()));
        order_.pop_front();
      }
    }
    for (const RecordPtr& record : gone) {
      const Lsn lsn = record->record.lsn;
      for (const Change& change : record->record.changes) {
        forget(change, [&](Versions& versions) { return versions.forget_upto(lsn); });
      }
    }
  } while (!gone.empty());
  drop_unused_index();
}

void Overlay::cut(Lsn lsn) {
  for (;;) {
    RecordPtr record;
    {
      const std::lock_guard lock(order_mutex_);
      if (order_.empty() || order_.back()->record.lsn <= lsn) return;
      record = std::move(order_.back());
      order_.pop_back();
    }
    for (const Change& change : record->record.changes) {
      forget(change, [&](Versions& versions) { return versions.forget_above(lsn); });
    }
  }
}

void Overlay::clear() {
  cut(Lsn{});
  const std::lock_guard lock(bases_mutex_);
  trimmed_ = {};
}

Lsn Overlay::open_base() {
  const std::lock_guard lock(bases_mutex_);
  ++bases_[trimmed_];
  return trimmed_;
}

void Overlay::move_base(Lsn from, Lsn to) {
  if (from == to) return;
  {
    const std::lock_guard lock(bases_mutex_);
    ++bases_[to];
  }
  close_base(from);
}

void Overlay::close_base(Lsn base) {
  const std::lock_guard lock(bases_mutex_);
  const auto found = bases_.find(base);
  POLLUX_CHECK_WHY(found != bases_.end(), "a base is closed once for each time it was opened");
  if (--found->second == 0) bases_.erase(found);
}

}  // namespace pollux
