#include "record_reader.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <climits>
#include <cstring>

#include "fields.h"
#include "pollux/proto/record_codec.h"
#include "record.pb.h"

namespace pollux {
namespace {

using google::protobuf::internal::WireFormatLite;

/// One field after the other of a message that lies in memory.
class FieldWalk {
 public:
  explicit FieldWalk(std::string_view bytes)
      : begin_(bytes.data()),
        stream_(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size())),
        size_(bytes.size()) {}

  /// Goes to the next field; false at the end, or if the encoding is broken.
  bool next() {
    if (static_cast<std::size_t>(stream_.CurrentPosition()) == size_) return false;
    tag_ = stream_.ReadTagNoLastTag();
    if (WireFormatLite::GetTagFieldNumber(tag_) < 1) broken_ = true;
    return !broken_;
  }
  [[nodiscard]] int number() const { return WireFormatLite::GetTagFieldNumber(tag_); }
  [[nodiscard]] bool broken() const { return broken_; }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    need(WireFormatLite::WIRETYPE_VARINT, [&] { return stream_.ReadVarint64(&value); });
    return value;
  }
  std::uint64_t fixed64() {
    std::uint64_t value = 0;
    need(WireFormatLite::WIRETYPE_FIXED64, [&] { return stream_.ReadLittleEndian64(&value); });
    return value;
  }
  std::string_view text() {
    std::string_view value;
    need(WireFormatLite::WIRETYPE_LENGTH_DELIMITED, [&] {
      std::uint32_t size = 0;
      if (!stream_.ReadVarint32(&size)) return false;
      const auto at = static_cast<std::size_t>(stream_.CurrentPosition());
      if (size > size_ - at) return false;
      value = {begin_ + at, size};
      return stream_.Skip(static_cast<int>(size));
    });
    return value;
  }
  void skip() {
    if (!WireFormatLite::SkipField(&stream_, tag_)) broken_ = true;
  }

 private:
  /// A field of another wire type than its own is not the field we know.
  template <class Read>
  void need(WireFormatLite::WireType type, Read read) {
    if (WireFormatLite::GetTagWireType(tag_) != type || !read()) broken_ = true;
  }

  const char* begin_;
  google::protobuf::io::CodedInputStream stream_;
  std::size_t size_;
  std::uint32_t tag_ = 0;
  bool broken_ = false;
};

constexpr const char* later_field = "a field of a later version";

/// False if its encoding is broken.
bool read_change(std::string_view bytes, ChangeView* change, Fields* fields) {
  FieldWalk walk(bytes);
  while (walk.next()) {
    switch (walk.number()) {
      case wire::Change::kKeyFieldNumber: change->key = walk.text(); break;
      case wire::Change::kValueFieldNumber: change->value = walk.text(); break;
      default: walk.skip(), fields->require(false, later_field);
    }
  }
  fields->require(!change->key.empty() && change->key.size() <= change_key_bytes_max, "changes.key");
  return !walk.broken();
}

/// False if its encoding is broken.
bool read_leads(std::string_view bytes, Leads* leads, Fields* fields) {
  wire::Leads from;
  if (!from.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
  *leads = {};
  fields->known(from);
  leads->epoch.value = from.epoch();
  fields->member(from.primary(), &leads->primary, "leads.primary");
  if (from.has_backup()) fields->member(from.backup(), &leads->backup.emplace(), "leads.backup");
  fields->position(from.commit_base(), &leads->commit_base, "leads.commit_base");
  fields->text(from.mutable_reason(), &leads->reason, "leads.reason");
  return true;
}

void read_session(std::string_view bytes, SessionId* session, Fields* fields) {
  *session = {};
  if (bytes.empty()) return;
  if (bytes.size() != session->bytes.size()) return fields->require(false, "session");
  std::memcpy(session->bytes.data(), bytes.data(), bytes.size());
}

}  // namespace

Result<const RecordView*> RecordReader::read(std::string_view bytes) {
  if (bytes.size() > record_bytes_max) {
    return fail(Code::malformed, "malformed record: " + std::to_string(bytes.size()) +
                                     " bytes, more than the limit of " + std::to_string(record_bytes_max));
  }
  static_assert(record_bytes_max <= INT_MAX);
  record_ = {};
  changes_.clear();
  std::uint64_t kind = 0, code = 0;
  bool broken = false;
  Fields fields;
  FieldWalk walk(bytes);
  while (!broken && walk.next()) {
    using wire::Record;
    switch (walk.number()) {
      case Record::kLsnFieldNumber: record_.lsn.value = walk.varint(); break;
      case Record::kEpochFieldNumber: record_.epoch.value = walk.varint(); break;
      case Record::kTimeUsFieldNumber: record_.time.us = static_cast<std::int64_t>(walk.fixed64()); break;
      case Record::kKindFieldNumber: kind = walk.varint(); break;
      case Record::kSessionFieldNumber: read_session(walk.text(), &record_.sync.session, &fields); break;
      case Record::kSeqFieldNumber: record_.sync.seq = walk.varint(); break;
      case Record::kAckBelowFieldNumber: record_.ack_below = walk.varint(); break;
      case Record::kTraceFieldNumber: record_.trace = walk.fixed64(); break;
      case Record::kChangesFieldNumber:
        if (changes_.size() == record_changes_max) return fail(Code::malformed, "malformed record: number of changes");
        broken = !read_change(walk.text(), &changes_.emplace_back(), &fields);
        break;
      case Record::kCodeFieldNumber: code = walk.varint(); break;
      case Record::kReplyFieldNumber: record_.reply = walk.text(); break;
      case Record::kLeadsFieldNumber:
        broken = !read_leads(walk.text(), &leads_, &fields);
        record_.leads = &leads_;
        break;
      default: walk.skip(), fields.require(false, later_field);
    }
  }
  if (broken || walk.broken()) return fail(Code::malformed, "malformed record: its encoding is broken");
  fields.require(record_.lsn.value >= 1, "lsn");
  fields.require(kind > wire::record_kind_none && kind <= wire::RecordKind_MAX, "kind");
  fields.require((record_.leads != nullptr) == (kind == wire::record_kind_leads), "leads");
  fields.require(code <= UINT32_MAX, "code");
  fields.code(static_cast<std::uint32_t>(code), &record_.code, "code");
  if (!fields.ok()) return fields.failure("record");
  record_.kind = static_cast<RecordKind>(kind);
  record_.changes = changes_;
  return &record_;
}

}  // namespace pollux
