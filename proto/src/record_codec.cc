// Records: the only place where their bytes are made and read.
#include "pollux/proto/record_codec.h"

#include <utility>

#include "fields.h"
#include "pollux/core/check.h"
#include "record.pb.h"
#include "scratch.h"

namespace pollux {
namespace {

void put_leads(const Leads& from, wire::Leads* to) {
  POLLUX_CHECK(from.reason.size() <= text_bytes_max);
  to->set_epoch(from.epoch.value);
  put_member(from.primary, to->mutable_primary());
  if (from.backup) put_member(*from.backup, to->mutable_backup());
  put_position(from.commit_base, to->mutable_commit_base());
  to->set_reason(from.reason);
}

void read_leads(wire::Leads* from, Leads* to, Fields* fields) {
  fields->known(*from);
  to->epoch.value = from->epoch();
  fields->member(from->primary(), &to->primary, "leads.primary");
  if (from->has_backup()) fields->member(from->backup(), &to->backup.emplace(), "leads.backup");
  fields->position(from->commit_base(), &to->commit_base, "leads.commit_base");
  fields->text(from->mutable_reason(), &to->reason, "leads.reason");
}

std::string encode_record(const Record& record) {
  POLLUX_CHECK_WHY(record.lsn.value >= 1, "records are numbered from 1");
  POLLUX_CHECK(record.leads.has_value() == (record.kind == RecordKind::leads));
  POLLUX_CHECK(record.changes.size() <= record_changes_max);
  Scratch<wire::Record> message;
  message->set_lsn(record.lsn.value);
  message->set_epoch(record.epoch.value);
  message->set_time_us(record.time.us);
  message->set_kind(static_cast<wire::RecordKind>(record.kind));
  put_id(record.sync.session, message->mutable_session());
  message->set_seq(record.sync.seq);
  message->set_ack_below(record.ack_below);
  message->set_trace(record.trace);
  for (const Change& change : record.changes) put_change(change, message->add_changes());
  message->set_code(static_cast<std::uint32_t>(record.code));
  message->set_reply(record.reply);
  if (record.leads) put_leads(*record.leads, message->mutable_leads());
  std::string bytes;
  message.append_to(&bytes);
  POLLUX_CHECK_WHY(bytes.size() <= record_bytes_max, "a record above its limit");
  return bytes;
}

Result<void> decode_record(std::string_view bytes, Record* record) {
  if (bytes.size() > record_bytes_max) {
    return fail(Code::malformed, "malformed record: " + std::to_string(bytes.size()) +
                                     " bytes, more than the limit of " + std::to_string(record_bytes_max));
  }
  Scratch<wire::Record> message;
  if (!message.parse(bytes)) return fail(Code::malformed, "malformed record: its encoding is broken");
  Fields fields;
  fields.known(*message);
  fields.require(message->lsn() >= 1, "lsn");
  fields.require(message->kind() > wire::record_kind_none && message->kind() <= wire::RecordKind_MAX, "kind");
  record->lsn.value = message->lsn();
  record->epoch.value = message->epoch();
  record->time.us = message->time_us();
  record->kind = static_cast<RecordKind>(message->kind());
  fields.id(message->session(), &record->sync.session, "session");
  record->sync.seq = message->seq();
  record->ack_below = message->ack_below();
  record->trace = message->trace();
  fields.changes(message->mutable_changes(), &record->changes);
  fields.code(message->code(), &record->code, "code");
  record->reply = std::move(*message->mutable_reply());
  fields.require(message->has_leads() == (message->kind() == wire::record_kind_leads), "leads");
  if (message->has_leads()) read_leads(message->mutable_leads(), &record->leads.emplace(), &fields);
  if (!fields.ok()) return fields.failure("record");
  return {};
}

}  // namespace

RecordPtr seal(Record record, const Hash& previous) {
  auto sealed = std::make_shared<SealedRecord>();
  sealed->bytes = encode_record(record);
  sealed->record = std::move(record);
  sealed->hash = chain_hash(previous, sealed->bytes);
  return sealed;
}

Result<RecordPtr> unseal(std::string bytes, const Hash& previous) {
  auto sealed = std::make_shared<SealedRecord>();
  if (auto decoded = decode_record(bytes, &sealed->record); !decoded) return std::unexpected(decoded.error());
  sealed->hash = chain_hash(previous, bytes);
  sealed->bytes = std::move(bytes);
  return sealed;
}

Result<RecordPtr> unseal_with_hash(std::string bytes, const Hash& hash) {
  auto sealed = std::make_shared<SealedRecord>();
  if (auto decoded = decode_record(bytes, &sealed->record); !decoded) return std::unexpected(decoded.error());
  sealed->hash = hash;
  sealed->bytes = std::move(bytes);
  return sealed;
}

}  // namespace pollux
