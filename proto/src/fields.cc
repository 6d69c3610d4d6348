#include "fields.h"

#include <cstring>
#include <utility>

#include "pollux/core/check.h"
#include "pollux/proto/record_codec.h"

namespace pollux {
namespace {

/// The lite runtime keeps unknown fields but has no public way to ask for them. (`have_unknown_fields` will
/// not do: it stays true for a message that is used again.)
struct Metadata : google::protobuf::MessageLite {
  static bool has_unknown(const google::protobuf::MessageLite& message) {
    const auto& metadata = message.*(&Metadata::_internal_metadata_);
    return !metadata.unknown_fields<std::string>(google::protobuf::internal::GetEmptyString).empty();
  }
};

}  // namespace

void Fields::fixed(const std::string& bytes, std::uint8_t* to, std::size_t count, const char* field) {
  if (bytes.size() == count) {
    std::memcpy(to, bytes.data(), count);
  } else {
    require(false, field);
  }
}

void Fields::hash(const std::string& bytes, Hash* hash, const char* field) {
  if (!bytes.empty()) fixed(bytes, hash->bytes.data(), hash->bytes.size(), field);
}

void Fields::position(const wire::Position& from, Position* to, const char* field) {
  known(from);
  to->lsn.value = from.lsn();
  hash(from.hash(), &to->hash, field);
}

void Fields::member(const wire::MemberId& from, MemberId* to, const char* field) {
  known(from);
  id(from.incarnation(), &to->incarnation, field);
  id(from.run(), &to->run, field);
}

void Fields::configuration(const wire::Configuration& from, Configuration* to) {
  known(from);
  id(from.cluster(), &to->cluster, "configuration.cluster");
  to->generation.value = from.generation();
  to->epoch.value = from.epoch();
  member(from.primary(), &to->primary, "configuration.primary");
  if (from.has_backup()) member(from.backup(), &to->backup.emplace(), "configuration.backup");
  position(from.floor(), &to->floor, "configuration.floor");
}

void Fields::code(std::uint32_t number, Code* code, const char* field) {
  // The table of codes is the one in core: what has no word there is no code.
  if (number > UINT16_MAX || to_string(static_cast<Code>(number)) == "unknown") return require(false, field);
  *code = static_cast<Code>(number);
}

void Fields::text(std::string* from, std::string* to, const char* field) {
  require(from->size() <= text_bytes_max, field);
  *to = std::move(*from);
}

void Fields::changes(google::protobuf::RepeatedPtrField<wire::Change>* from, std::vector<Change>* to) {
  if (static_cast<std::size_t>(from->size()) > record_changes_max) return require(false, "number of changes");
  to->reserve(static_cast<std::size_t>(from->size()));
  for (wire::Change& change : *from) {
    known(change);
    require(!change.key().empty() && change.key().size() <= change_key_bytes_max, "changes.key");
    Change& added = to->emplace_back();
    added.key = std::move(*change.mutable_key());
    if (change.has_value()) added.value = std::move(*change.mutable_value());
  }
}

void Fields::known(const google::protobuf::MessageLite& message) {
  require(unknown_ == Unknown::passed_over || !Metadata::has_unknown(message), "a field of a later version");
}

std::unexpected<Error> Fields::failure(std::string_view what) const {
  return fail(Code::malformed,
              "malformed " + std::string(what) + ": " + (problem_ == nullptr ? "?" : problem_));
}

void put_position(const Position& from, wire::Position* to) {
  to->set_lsn(from.lsn.value);
  if (from.hash != Hash{}) {
    to->set_hash(from.hash.bytes.data(), from.hash.bytes.size());
  }
}

void put_member(const MemberId& from, wire::MemberId* to) {
  put_id(from.incarnation, to->mutable_incarnation());
  put_id(from.run, to->mutable_run());
}

void put_configuration(const Configuration& from, wire::Configuration* to) {
  put_id(from.cluster, to->mutable_cluster());
  to->set_generation(from.generation.value);
  to->set_epoch(from.epoch.value);
  put_member(from.primary, to->mutable_primary());
  if (from.backup) put_member(*from.backup, to->mutable_backup());
  put_position(from.floor, to->mutable_floor());
}

void put_change(const Change& from, wire::Change* to) {
  POLLUX_CHECK_WHY(!from.key.empty() && from.key.size() <= change_key_bytes_max, "a key has 1 to 480 bytes");
  to->set_key(from.key);
  if (from.value) to->set_value(*from.value);
}

}  // namespace pollux
