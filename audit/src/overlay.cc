#include <algorithm>
#include <array>
#include <atomic>
#include <boost/unordered/unordered_flat_set.hpp>
#include <set>

#include "pollux/audit/state.h"
#include "pollux/core/check.h"

namespace pollux {
namespace {

constexpr std::size_t keys_a_step = 64;      // of a scan, under the index's lock
constexpr std::size_t records_a_step = 256;  // of trimming, under the order's lock
constexpr std::size_t version_overhead = 64;
constexpr unsigned trims_without_scan = 16;  // then the index is dropped

struct Version {
  Lsn lsn;
  RecordPtr record;  // keeps the change alive
  const ChangeView* change = nullptr;
};

std::size_t size_of(const ChangeView& change) {
  return change.key.size() + (change.value ? change.value->size() : 0) + version_overhead;
}

/// Of one key, ascending by LSN. Nearly always there is one, so the newest needs no memory of its own. A key
/// that is changed by every request has thousands: finding one is a binary search, forgetting the oldest
/// moves a mark.
class Versions {
 public:
  explicit Versions(Version first) : newest_(std::move(first)) {}

  [[nodiscard]] std::string_view key() const { return newest_.change->key; }
  void add(Version version) {
    if (older_ == nullptr) older_ = std::make_unique<Older>();
    older_->versions.push_back(std::exchange(newest_, std::move(version)));
  }
  [[nodiscard]] const Version* at(Lsn upto) const {
    if (newest_.lsn <= upto) return &newest_;
    if (older_ == nullptr) return nullptr;
    const auto begin = older_->versions.begin() + older_->first;
    const auto end = std::upper_bound(begin, older_->versions.end(), upto,
                                      [](Lsn lsn, const Version& version) { return lsn < version.lsn; });
    return end == begin ? nullptr : &*std::prev(end);
  }
  struct Forgotten {
    std::size_t bytes = 0;
    bool all = false;  ///< the newest would be forgotten, too: the key goes
  };
  Forgotten forget_upto(Lsn lsn) {
    Forgotten forgotten;
    if (older_ != nullptr) {
      auto& [versions, first] = *older_;
      const auto size = static_cast<std::ptrdiff_t>(versions.size());
      for (; first < size && versions[static_cast<std::size_t>(first)].lsn <= lsn; ++first) {
        forgotten.bytes += size_of(*versions[static_cast<std::size_t>(first)].change);
        versions[static_cast<std::size_t>(first)] = {};
      }
      if (first == size) {
        older_.reset();
      } else if (first > size / 2) {
        versions.erase(versions.begin(), versions.begin() + first);
        first = 0;
      }
    }
    if (older_ == nullptr && newest_.lsn <= lsn) forget_newest(&forgotten);
    return forgotten;
  }
  Forgotten forget_above(Lsn lsn) {
    Forgotten forgotten;
    while (newest_.lsn > lsn) {
      if (older_ == nullptr) {
        forget_newest(&forgotten);
        break;
      }
      forgotten.bytes += size_of(*newest_.change);
      newest_ = std::move(older_->versions.back());
      older_->versions.pop_back();
      if (static_cast<std::ptrdiff_t>(older_->versions.size()) == older_->first) older_.reset();
    }
    return forgotten;
  }

 private:
  struct Older {
    std::vector<Version> versions;
    std::ptrdiff_t first = 0;  // that is still kept
  };
  void forget_newest(Forgotten* forgotten) const {
    forgotten->bytes += size_of(*newest_.change);
    forgotten->all = true;
  }
  Version newest_;
  std::unique_ptr<Older> older_;  // never empty
};

/// A key and its hash, computed once.
struct Sought {
  std::string_view key;
  std::size_t hash = 0;
  explicit Sought(std::string_view sought) : key(sought), hash(std::hash<std::string_view>{}(sought)) {}
};

/// A key's place in the set. The text of the key is the newest version's, so that it needs no copy; it stays
/// the same text when there is a newer one. The hash stands here, so that the set can grow without a look at the
/// texts, which lie scattered in the records.
struct Entry {
  std::size_t hash = 0;
  mutable Versions versions;
};

struct KeyHash {
  using is_transparent = void;
  std::size_t operator()(const auto& entry) const { return entry.hash; }
};
struct KeyEqual {
  using is_transparent = void;
  bool operator()(const Entry& a, const Entry& b) const {
    return a.hash == b.hash && a.versions.key() == b.versions.key();
  }
  bool operator()(const Sought& a, const Entry& b) const { return a.hash == b.hash && a.key == b.versions.key(); }
  bool operator()(const Entry& a, const Sought& b) const { return (*this)(b, a); }
};

}  // namespace

struct Overlay::Shard {
  std::mutex mutex;
  boost::unordered_flat_set<Entry, KeyHash, KeyEqual> keys;
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
  std::set<std::string, std::less<>> keys;
};

Overlay::Overlay() : shards_(std::make_unique<Shard[]>(shards)), index_(std::make_unique<Index>()) {}
Overlay::~Overlay() = default;

namespace {
/// Other bits than those the set in the shard uses.
std::size_t shard_number(const Sought& sought, std::size_t shards) { return (sought.hash >> 48) % shards; }
}  // namespace

void Overlay::add(const RecordPtr& record) {
  if (record->record.changes.empty()) return;
  for (const ChangeView& change : record->record.changes) add_change(record, change);
  const std::lock_guard lock(order_mutex_);
  POLLUX_CHECK_WHY(order_.empty() || order_.back()->record.lsn < record->record.lsn,
                   "records come in LSN order");
  order_.push_back(record);
}

void Overlay::add_change(const RecordPtr& record, const ChangeView& change) {
  bytes_.fetch_add(size_of(change), std::memory_order_relaxed);
  const Sought sought(change.key);
  Shard& shard = shards_[shard_number(sought, shards)];
  const std::lock_guard lock(shard.mutex);
  if (const auto at = shard.keys.find(sought); at != shard.keys.end()) {
    return at->versions.add({record->record.lsn, record, &change});
  }
  shard.keys.insert(Entry{sought.hash, Versions({record->record.lsn, record, &change})});
  if (!index_->wanted) return;
  const std::lock_guard index_lock(index_->mutex);
  index_->keys.emplace(change.key);
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
    for (const Entry& entry : shards_[i].keys) index_->keys.emplace(entry.versions.key());
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
    const Sought sought(key);
    Shard& shard = shards_[shard_number(sought, shards)];
    const std::lock_guard lock(shard.mutex);
    const auto at = shard.keys.find(sought);
    if (at == shard.keys.end()) return std::nullopt;
    const Version* const version = at->versions.at(upto);
    if (version == nullptr) return std::nullopt;
    found = *version;  // the record, not the value: that may be megabytes, copied without the lock
  }
  if (!found.change->value) return std::optional<std::string>();
  return std::optional<std::string>(*found.change->value);
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
      keys.push_back(*at);
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

/// Many at once, so that a shard is locked once for all that lies in it.
template <class Forget>
void Overlay::forget(std::span<const RecordPtr> records, Forget forget_versions) {
  struct Aged {
    Sought sought;
    Lsn lsn;
  };
  std::array<std::vector<Aged>, shards> of_shard;
  for (const RecordPtr& record : records) {
    for (const ChangeView& change : record->record.changes) {
      const Sought sought(change.key);
      of_shard[shard_number(sought, shards)].push_back({sought, record->record.lsn});
    }
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < shards; ++i) {
    Shard& shard = shards_[i];
    const std::lock_guard lock(shard.mutex);
    for (const Aged& change : of_shard[i]) {
      const auto at = shard.keys.find(change.sought);
      if (at == shard.keys.end()) continue;
      const Versions::Forgotten forgotten = forget_versions(at->versions, change.lsn);
      bytes += forgotten.bytes;
      if (!forgotten.all) continue;
      if (index_->wanted) {
        const std::lock_guard index_lock(index_->mutex);
        if (const auto key = index_->keys.find(change.sought.key); key != index_->keys.end()) index_->keys.erase(key);
      }
      shard.keys.erase(at);
    }
  }
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
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
    forget(gone, [](Versions& versions, Lsn lsn) { return versions.forget_upto(lsn); });
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
    forget({&record, 1}, [lsn](Versions& versions, Lsn) { return versions.forget_above(lsn); });
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
