#include "transactions.h"

#include <stdexcept>

#include "pollux/proto/record_codec.h"
#include "text.h"

namespace pollux {
namespace {

/// What the encoding of one change costs beyond its key and value, at most.
constexpr std::size_t change_overhead_bytes = 32;
/// Room for everything in a record that is no change and no reply.
constexpr std::size_t record_overhead_bytes = 64u << 10;

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw ServiceStorageError(result.error());
  return *std::move(result);
}
void or_throw(const Result<void>& result) {
  if (!result) throw ServiceStorageError(result.error());
}

}  // namespace

std::optional<std::string> ViewReadTxn::get(std::string_view key) { return or_throw(view_.get(key)); }

void ViewReadTxn::scan(std::string_view from, std::string_view to,
                       const std::function<bool(std::string_view, std::string_view)>& row) {
  or_throw(view_.scan(from, to, row));
}

std::optional<std::string> StagedWriteTxn::get(std::string_view key) {
  if (const auto staged = staged_.find(key); staged != staged_.end()) return staged->second;
  return or_throw(view_.get(key));
}

void StagedWriteTxn::scan(std::string_view from, std::string_view to,
                          const std::function<bool(std::string_view, std::string_view)>& row) {
  if (scanning_) throw std::logic_error("a scan must not be begun from within a scan");
  struct Scanning {
    bool& flag;
    explicit Scanning(bool& scanning) : flag(scanning) { flag = true; }
    ~Scanning() { flag = false; }
  } const scanning(scanning_);

  // A merge of two sorted sequences; where both have a key, the staged one counts.
  auto staged = staged_.lower_bound(from);
  const auto staged_end = to.empty() ? staged_.end() : staged_.lower_bound(to);
  bool wanted = true;
  const auto tell_staged = [&] {
    if (staged->second) wanted = row(staged->first, *staged->second);
    ++staged;
  };
  or_throw(view_.scan(from, to, [&](std::string_view key, std::string_view value) {
    while (wanted && staged != staged_end && staged->first < key) tell_staged();
    if (!wanted) return false;
    if (staged != staged_end && staged->first == key) {
      tell_staged();
    } else {
      wanted = row(key, value);
    }
    return wanted;
  }));
  while (wanted && staged != staged_end) tell_staged();
}

void StagedWriteTxn::put(std::string_view key, std::string_view value) { stage(key, std::string(value)); }

void StagedWriteTxn::erase(std::string_view key) { stage(key, std::nullopt); }

void StagedWriteTxn::stage(std::string_view key, std::optional<std::string> value) {
  if (scanning_) throw std::logic_error("a row must not be written from within a scan");
  if (key.empty() || key.size() > change_key_bytes_max) {
    throw std::length_error(cat("a key of ", key.size(), " bytes: 1 to ", change_key_bytes_max, " are allowed"));
  }
  auto found = staged_.lower_bound(key);
  const bool is_new = found == staged_.end() || found->first != key;
  const std::size_t before = is_new || !found->second ? 0 : found->second->size();
  const std::size_t after = value ? value->size() : 0;
  const std::size_t grown = bytes_ - before + after + (is_new ? key.size() + change_overhead_bytes : 0);
  if (grown > record_bytes_max - record_overhead_bytes || staged_.size() + (is_new ? 1 : 0) > record_changes_max) {
    throw std::length_error(cat("the changes of one request are more than a record holds (", record_bytes_max,
                                " bytes, ", record_changes_max, " rows)"));
  }
  bytes_ = grown;
  if (is_new) {
    staged_.emplace_hint(found, std::string(key), std::move(value));
  } else {
    found->second = std::move(value);
  }
}

std::vector<Change> StagedWriteTxn::take_changes() {
  std::vector<Change> changes;
  changes.reserve(staged_.size());
  while (!staged_.empty()) {
    auto node = staged_.extract(staged_.begin());
    changes.push_back({std::move(node.key()), std::move(node.mapped())});
  }
  bytes_ = 0;
  return changes;
}

}  // namespace pollux
