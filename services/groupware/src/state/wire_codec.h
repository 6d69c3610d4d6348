// The generated messages and the structs of pollux/groupware/requests.h: what requests, queries and replies
// share.
#pragma once

#include "state/properties_codec.h"

namespace pollux {

namespace wire = groupware_wire;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

inline void fill(wire::Caller* to, const Caller& from) {
  to->set_user(from.user);
  to->set_credential_version(from.credential_version);
}
inline Caller read(const wire::Caller& from) { return {from.user(), from.credential_version()}; }

inline void fill(wire::Tag* to, const EntityTag& from) {
  to->set_weak(from.weak);
  to->set_value(from.value);
}
inline EntityTag read(const wire::Tag& from) { return {from.weak(), from.value()}; }

inline void fill(wire::TagList* to, const TagList& from) {
  to->set_any(from.any);
  for (const auto& tag : from.tags) fill(to->add_tags(), tag);
}
inline TagList read(const wire::TagList& from) {
  TagList to{from.any(), {}};
  for (const auto& tag : from.tags()) to.tags.push_back(read(tag));
  return to;
}

inline void fill(wire::IfList* to, const IfList& from) {
  to->set_tagged(from.tagged);
  if (from.resource) fill(to->mutable_resource(), *from.resource);
  for (const auto& condition : from.conditions) {
    auto* added = to->add_conditions();
    added->set_negated(condition.negated);
    if (condition.tag) fill(added->mutable_tag(), *condition.tag);
    added->set_token(condition.token);
  }
}
inline IfList read(const wire::IfList& from) {
  IfList to{.tagged = from.tagged(), .resource = {}, .conditions = {}};
  if (from.has_resource()) to.resource = read(from.resource());
  for (const auto& condition : from.conditions()) {
    IfCondition& added = to.conditions.emplace_back();
    added.negated = condition.negated();
    if (condition.has_tag()) added.tag = read(condition.tag());
    added.token = condition.token();
  }
  return to;
}

inline void fill(wire::Preconditions* to, const Preconditions& from) {
  if (from.match) fill(to->mutable_match(), *from.match);
  if (from.none_match) fill(to->mutable_none_match(), *from.none_match);
  if (from.unmodified_since_s) to->set_unmodified_since_s(*from.unmodified_since_s);
  for (const auto& list : from.lists) fill(to->add_lists(), list);
}
inline Preconditions read(const wire::Preconditions& from) {
  Preconditions to;
  if (from.has_match()) to.match = read(from.match());
  if (from.has_none_match()) to.none_match = read(from.none_match());
  if (from.has_unmodified_since_s()) to.unmodified_since_s = from.unmodified_since_s();
  for (const auto& list : from.lists()) to.lists.push_back(read(list));
  return to;
}

inline void fill(wire::PropertyChange* to, const PropertyChange& from) {
  to->set_field(static_cast<std::uint32_t>(from.field));
  to->set_remove(from.remove);
  to->set_value(from.value);
  fill(to->mutable_dead(), from.dead);
}
inline PropertyChange read(const wire::PropertyChange& from) {
  return {.field = static_cast<PropertyField>(from.field()),
          .remove = from.remove(),
          .value = from.value(),
          .dead = read(from.dead())};
}

inline void fill(wire::ItemInfo* to, const ItemInfo& from) {
  to->set_name(from.name);
  to->set_etag(from.etag);
  to->set_content_type(from.content_type);
  to->set_component(from.component);
  to->set_uid(from.uid);
  to->set_bytes(from.bytes);
  to->set_created_us(from.created.us);
  to->set_modified_us(from.modified.us);
  to->set_change(from.change);
  to->set_first_s(from.first_s);
  to->set_last_s(from.last_s);
  for (const auto& dead : from.dead) fill(to->add_dead(), dead);
  for (const auto& lock : from.locks) fill(to->add_locks(), lock);
}
inline ItemInfo read(const wire::ItemInfo& from) {
  ItemInfo to{.name = from.name(),
              .etag = from.etag(),
              .content_type = from.content_type(),
              .component = from.component(),
              .uid = from.uid(),
              .bytes = from.bytes(),
              .created = {from.created_us()},
              .modified = {from.modified_us()},
              .change = from.change(),
              .first_s = from.first_s(),
              .last_s = from.has_last_s() ? from.last_s() : std::numeric_limits<std::int64_t>::max(),
              .dead = {},
              .locks = {}};
  for (const auto& dead : from.dead()) to.dead.push_back(read(dead));
  for (const auto& lock : from.locks()) to.locks.push_back(read(lock));
  return to;
}

inline void fill(wire::Resource* to, const Resource& from) {
  if (const auto* item = std::get_if<ItemInfo>(&from)) {
    fill(to->mutable_item(), *item);
    return;
  }
  const auto& info = std::get<CollectionInfo>(from);
  auto* collection = to->mutable_collection();
  collection->set_name(info.name);
  collection->set_kind(static_cast<std::uint32_t>(info.kind));
  fill(collection->mutable_properties(), info.properties);
  collection->set_id(info.id);
  collection->set_change(info.change);
  collection->set_items(info.items);
  collection->set_bytes(info.bytes);
  collection->set_created_us(info.created.us);
  collection->set_modified_us(info.modified.us);
  collection->set_owner(info.owner);
  collection->set_access(static_cast<std::uint32_t>(info.access));
  collection->set_shared(info.shared);
  collection->set_sharing(info.sharing);
  collection->set_quota_bytes(info.quota_bytes);
  collection->set_used_bytes(info.used_bytes);
  for (const auto& lock : info.locks) fill(collection->add_locks(), lock);
}
inline Resource read(const wire::Resource& from) {
  if (from.has_item()) return read(from.item());
  const auto& info = from.collection();
  CollectionInfo to{.name = info.name(),
                    .kind = static_cast<CollectionKind>(info.kind()),
                    .properties = read(info.properties()),
                    .id = info.id(),
                    .change = info.change(),
                    .items = info.items(),
                    .bytes = info.bytes(),
                    .created = {info.created_us()},
                    .modified = {info.modified_us()},
                    .owner = info.owner(),
                    .access = static_cast<Access>(info.access()),
                    .shared = info.shared(),
                    .sharing = info.sharing(),
                    .locks = {},
                    .quota_bytes = info.quota_bytes(),
                    .used_bytes = info.used_bytes()};
  for (const auto& lock : info.locks()) to.locks.push_back(read(lock));
  return to;
}

inline void fill(wire::PrincipalInfo* to, const PrincipalInfo& from) {
  to->set_user(from.user);
  to->set_display_name(from.display_name);
  to->set_created_us(from.created.us);
  to->set_quota_bytes(from.quota_bytes);
  to->set_used_bytes(from.used_bytes);
}
inline PrincipalInfo read(const wire::PrincipalInfo& from) {
  return {.user = from.user(),
          .display_name = from.display_name(),
          .created = {from.created_us()},
          .quota_bytes = from.quota_bytes(),
          .used_bytes = from.used_bytes()};
}

template <class Wire>
bool parse(Wire* wire, std::string_view payload) {
  return wire->ParseFromArray(payload.data(), static_cast<int>(payload.size()));
}

inline std::unexpected<Error> malformed() {
  return fail(Code::malformed,
              "This is no groupware request, or one of a newer version: upgrade this side first.");
}

}  // namespace pollux
