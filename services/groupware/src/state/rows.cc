#include "state/rows.h"

#include <stdexcept>

#include "state/properties_codec.h"

namespace pollux {
namespace {

template <class Wire>
Wire parse(std::string_view bytes) {
  Wire wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw std::runtime_error(
        "A stored row of the groupware service can't be decoded: verify the audit trail.");
  }
  return wire;
}

}  // namespace

std::string encode(const MetaRow& row) {
  groupware_wire::MetaRow wire;
  wire.set_format(row.format);
  wire.set_next_id(row.next_id);
  return wire.SerializeAsString();
}
template <>
MetaRow decode_row<MetaRow>(std::string_view bytes) {
  const auto wire = parse<groupware_wire::MetaRow>(bytes);
  return {.format = wire.format(), .next_id = wire.next_id()};
}

std::string encode(const CredentialRow& row) {
  groupware_wire::CredentialRow wire;
  wire.set_password_hash(row.password_hash);
  wire.set_changed_us(row.changed.us);
  return wire.SerializeAsString();
}
template <>
CredentialRow decode_row<CredentialRow>(std::string_view bytes) {
  const auto wire = parse<groupware_wire::CredentialRow>(bytes);
  return {.password_hash = wire.password_hash(), .changed = {wire.changed_us()}};
}

std::string encode(const PrincipalRow& row) {
  groupware_wire::PrincipalRow wire;
  wire.set_display_name(row.display_name);
  wire.set_created_us(row.created.us);
  wire.set_credential_version(row.credential_version);
  wire.set_calendars(row.calendars);
  wire.set_contacts(row.contacts);
  wire.set_files(row.files);
  wire.set_quota_bytes(row.quota_bytes);
  return wire.SerializeAsString();
}
template <>
PrincipalRow decode_row<PrincipalRow>(std::string_view bytes) {
  const auto wire = parse<groupware_wire::PrincipalRow>(bytes);
  return {.display_name = wire.display_name(),
          .created = {wire.created_us()},
          .credential_version = wire.credential_version(),
          .calendars = wire.calendars(),
          .contacts = wire.contacts(),
          .files = wire.files(),
          .quota_bytes = wire.quota_bytes()};
}

std::string encode(const CollectionRow& row) {
  groupware_wire::CollectionRow wire;
  wire.set_kind(static_cast<std::uint32_t>(row.kind));
  wire.set_owner(row.owner);
  wire.set_parent(row.parent);
  wire.set_name(row.name);
  wire.set_created_us(row.created.us);
  fill(wire.mutable_properties(), row.properties);
  wire.set_time_index(row.time_index);
  return wire.SerializeAsString();
}
template <>
CollectionRow decode_row<CollectionRow>(std::string_view bytes) {
  const auto wire = parse<groupware_wire::CollectionRow>(bytes);
  return {.kind = static_cast<CollectionKind>(wire.kind()),
          .owner = wire.owner(),
          .parent = wire.parent(),
          .name = wire.name(),
          .created = {wire.created_us()},
          .properties = read(wire.properties()),
          .time_index = wire.time_index()};
}

std::string encode(const CounterRow& row) {
  groupware_wire::CounterRow wire;
  wire.set_change(row.change);
  wire.set_items(row.items);
  wire.set_bytes(row.bytes);
  wire.set_modified_us(row.modified.us);
  wire.set_tombstones(row.tombstones);
  wire.set_sync_floor(row.sync_floor);
  return wire.SerializeAsString();
}
template <>
CounterRow decode_row<CounterRow>(std::string_view bytes) {
  const auto wire = parse<groupware_wire::CounterRow>(bytes);
  return {.change = wire.change(),
          .items = wire.items(),
          .bytes = wire.bytes(),
          .modified = {wire.modified_us()},
          .tombstones = wire.tombstones(),
          .sync_floor = wire.sync_floor()};
}

std::string encode(const EntryRow& row) {
  groupware_wire::EntryRow wire;
  wire.set_name(row.name);
  wire.set_id(row.id);
  wire.set_collection(row.collection);
  wire.set_etag(row.etag);
  wire.set_content_type(row.content_type);
  wire.set_component(row.component);
  wire.set_uid(row.uid);
  wire.set_bytes(row.bytes);
  wire.set_created_us(row.created.us);
  wire.set_modified_us(row.modified.us);
  wire.set_change(row.change);
  if (!row.collection) {
    wire.set_first_s(row.first_s);
    wire.set_last_s(row.last_s);
  }
  wire.set_has_dead(row.has_dead);
  wire.set_shared_access(static_cast<std::uint32_t>(row.shared_access));
  return wire.SerializeAsString();
}
template <>
EntryRow decode_row<EntryRow>(std::string_view bytes) {
  const auto wire = parse<groupware_wire::EntryRow>(bytes);
  return {.name = wire.name(),
          .id = wire.id(),
          .collection = wire.collection(),
          .etag = wire.etag(),
          .content_type = wire.content_type(),
          .component = wire.component(),
          .uid = wire.uid(),
          .bytes = wire.bytes(),
          .created = {wire.created_us()},
          .modified = {wire.modified_us()},
          .change = wire.change(),
          .first_s = wire.first_s(),
          .last_s = wire.has_last_s() ? wire.last_s() : std::numeric_limits<std::int64_t>::max(),
          .has_dead = wire.has_dead(),
          .shared_access = static_cast<Access>(wire.shared_access())};
}

std::string encode(const UsageRow& row) {
  groupware_wire::UsageRow wire;
  wire.set_bytes(row.bytes);
  return wire.SerializeAsString();
}
template <>
UsageRow decode_row<UsageRow>(std::string_view bytes) {
  return {.bytes = parse<groupware_wire::UsageRow>(bytes).bytes()};
}

std::string encode(const DeadRow& row) {
  groupware_wire::DeadRow wire;
  for (const auto& property : row.properties) fill(wire.add_properties(), property);
  return wire.SerializeAsString();
}
template <>
DeadRow decode_row<DeadRow>(std::string_view bytes) {
  DeadRow row;
  const auto wire = parse<groupware_wire::DeadRow>(bytes);
  for (const auto& property : wire.properties()) row.properties.push_back(read(property));
  return row;
}

std::string encode(const LocksRow& row) {
  groupware_wire::LocksRow wire;
  for (const auto& lock : row.locks) fill(wire.add_locks(), lock);
  wire.set_parent(row.parent);
  return wire.SerializeAsString();
}
template <>
LocksRow decode_row<LocksRow>(std::string_view bytes) {
  const auto wire = parse<groupware_wire::LocksRow>(bytes);
  LocksRow row{.locks = {}, .parent = wire.parent()};
  for (const auto& lock : wire.locks()) row.locks.push_back(read(lock));
  return row;
}

std::string encode(const GrantRow& row) {
  groupware_wire::GrantRow wire;
  wire.set_access(static_cast<std::uint32_t>(row.access));
  wire.set_home(row.home);
  wire.set_name(row.name);
  return wire.SerializeAsString();
}
template <>
GrantRow decode_row<GrantRow>(std::string_view bytes) {
  const auto wire = parse<groupware_wire::GrantRow>(bytes);
  return {.access = static_cast<Access>(wire.access()), .home = wire.home(), .name = wire.name()};
}

}  // namespace pollux
