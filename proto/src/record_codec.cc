// Records: the only place where their bytes are made and read.
#include "pollux/proto/record_codec.h"

#include <utility>

#include "fields.h"
#include "pollux/core/check.h"
#include "record.pb.h"
#include "record_reader.h"
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

/// What this thread works with, again and again.
struct Workplace {
  std::string bytes;
  RecordReader reader;
};
Workplace& workplace() {
  thread_local Workplace here;
  if (here.bytes.capacity() > scratch_keep_bytes_max) here = {};
  return here;
}

void encode_record(const Record& record, std::string* bytes) {
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
  bytes->clear();
  message.append_to(bytes);
  POLLUX_CHECK_WHY(bytes->size() <= record_bytes_max, "a record above its limit");
}

}  // namespace

RecordPtr seal(const Record& record, const Hash& previous) {
  Workplace& here = workplace();
  encode_record(record, &here.bytes);
  const auto fields = here.reader.read(here.bytes);
  POLLUX_CHECK_WHY(fields.has_value(), "what was just encoded can be read");
  return SealedRecord::make(**fields, here.bytes, chain_hash(previous, here.bytes));
}

Result<RecordPtr> unseal(std::string_view bytes, const Hash& previous) {
  const auto fields = workplace().reader.read(bytes);
  if (!fields) return std::unexpected(fields.error());
  return SealedRecord::make(**fields, bytes, chain_hash(previous, bytes));
}

Result<RecordPtr> unseal_with_hash(std::string_view bytes, const Hash& hash) {
  const auto fields = workplace().reader.read(bytes);
  if (!fields) return std::unexpected(fields.error());
  return SealedRecord::make(**fields, bytes, hash);
}

}  // namespace pollux
