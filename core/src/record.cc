#include "pollux/core/record.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "pollux/core/check.h"

namespace pollux {
namespace {

// They are copied as they are into the block, and never destroyed.
static_assert(std::is_trivially_copyable_v<ChangeView> && std::is_trivially_destructible_v<ChangeView>);

bool same_change(const ChangeView& a, const Change& b) {
  return a.key == b.key && a.value.has_value() == b.value.has_value() && (!a.value || *a.value == *b.value);
}

template <class Other>
bool same_head(const RecordView& a, const Other& b) {
  return a.lsn == b.lsn && a.epoch == b.epoch && a.time == b.time && a.kind == b.kind && a.code == b.code &&
         a.sync == b.sync && a.ack_below == b.ack_below && a.trace == b.trace && a.reply == b.reply;
}

/// Views into one text become views into its copy.
class Moved {
 public:
  Moved(std::string_view from, const char* to) : from_(from), to_(to) {}
  [[nodiscard]] std::string_view operator()(std::string_view view) const {
    if (view.empty()) return {to_, 0};
    POLLUX_CHECK_WHY(view.data() >= from_.data() && view.data() + view.size() <= from_.data() + from_.size(),
                     "a record's text lies in its bytes");
    return {to_ + (view.data() - from_.data()), view.size()};
  }

 private:
  std::string_view from_;
  const char* to_;
};

}  // namespace

bool operator==(const RecordView& a, const RecordView& b) {
  return same_head(a, b) && std::ranges::equal(a.changes, b.changes) && (a.leads == nullptr) == (b.leads == nullptr) &&
         (a.leads == nullptr || *a.leads == *b.leads);
}

bool operator==(const RecordView& a, const Record& b) {
  return same_head(a, b) && std::ranges::equal(a.changes, b.changes, same_change) &&
         (a.leads != nullptr) == b.leads.has_value() && (a.leads == nullptr || *a.leads == *b.leads);
}

Record copy_of(const RecordView& view) {
  Record record{.lsn = view.lsn,
                .epoch = view.epoch,
                .time = view.time,
                .kind = view.kind,
                .sync = view.sync,
                .ack_below = view.ack_below,
                .trace = view.trace,
                .changes = {},
                .code = view.code,
                .reply = std::string(view.reply),
                .leads = {}};
  for (const ChangeView& change : view.changes) {
    record.changes.push_back({std::string(change.key), change.value ? std::optional<std::string>(*change.value)
                                                                    : std::nullopt});
  }
  if (view.leads != nullptr) record.leads = *view.leads;
  return record;
}

RecordPtr SealedRecord::make(const RecordView& fields, std::string_view bytes, const Hash& hash) {
  static_assert(sizeof(SealedRecord) % alignof(ChangeView) == 0);
  const std::size_t changes_bytes = fields.changes.size_bytes();
  auto* const block = static_cast<char*>(::operator new(sizeof(SealedRecord) + changes_bytes + bytes.size()));
  auto* const sealed = new (block) SealedRecord;
  const RecordPtr owner(sealed);
  auto* const changes = reinterpret_cast<ChangeView*>(block + sizeof(SealedRecord));
  char* const text = block + sizeof(SealedRecord) + changes_bytes;
  std::memcpy(text, bytes.data(), bytes.size());

  const Moved moved(bytes, text);
  sealed->record = fields;
  for (std::size_t i = 0; i < fields.changes.size(); ++i) {
    const ChangeView& change = fields.changes[i];
    new (changes + i) ChangeView{moved(change.key), change.value ? std::optional(moved(*change.value)) : std::nullopt};
  }
  sealed->record.changes = {changes, fields.changes.size()};
  sealed->record.reply = moved(fields.reply);
  if (fields.leads != nullptr) {
    sealed->leads_ = std::make_unique<const Leads>(*fields.leads);
    sealed->record.leads = sealed->leads_.get();
  }
  sealed->bytes = {text, bytes.size()};
  sealed->hash = hash;
  return owner;
}

void intrusive_ptr_release(const SealedRecord* record) {
  if (record->owners_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  auto* const last = const_cast<SealedRecord*>(record);
  last->~SealedRecord();
  ::operator delete(last);
}

}  // namespace pollux
