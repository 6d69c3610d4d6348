// What stands in requests, replies and rows alike: properties, paths, locks.
#pragma once

#include "groupware.pb.h"
#include "pollux/groupware/requests.h"

namespace pollux {

inline void fill(groupware_wire::Property* to, const DeadProperty& from) {
  to->set_space(from.space);
  to->set_name(from.name);
  to->set_xml(from.xml);
}
inline DeadProperty read(const groupware_wire::Property& from) {
  return {from.space(), from.name(), from.xml()};
}

inline void fill(groupware_wire::Path* to, const ResourcePath& from) {
  to->set_space(static_cast<std::uint32_t>(from.space));
  to->set_user(from.user);
  for (const auto& name : from.names) to->add_names(name);
}
inline ResourcePath read(const groupware_wire::Path& from) {
  return {static_cast<DavSpace>(from.space()), from.user(), {from.names().begin(), from.names().end()}};
}

inline void fill(groupware_wire::Lock* to, const Lock& from) {
  to->set_token(from.token);
  to->set_shared(from.shared);
  to->set_infinite(from.infinite);
  to->set_owner_xml(from.owner_xml);
  to->set_user(from.user);
  to->set_timeout_s(from.timeout_s);
  to->set_expires_us(from.expires.us);
  fill(to->mutable_root(), from.root);
}
inline Lock read(const groupware_wire::Lock& from) {
  return {.token = from.token(),
          .shared = from.shared(),
          .infinite = from.infinite(),
          .owner_xml = from.owner_xml(),
          .user = from.user(),
          .timeout_s = from.timeout_s(),
          .expires = {from.expires_us()},
          .root = read(from.root())};
}

inline void fill(groupware_wire::CollectionProperties* to, const CollectionProperties& from) {
  to->set_display_name(from.display_name);
  to->set_description(from.description);
  to->set_color(from.color);
  to->set_order(from.order);
  to->set_timezone(from.timezone);
  for (const auto& component : from.components) to->add_components(component);
  for (const auto& property : from.dead) fill(to->add_dead(), property);
}

inline CollectionProperties read(const groupware_wire::CollectionProperties& from) {
  CollectionProperties to{.display_name = from.display_name(),
                          .description = from.description(),
                          .color = from.color(),
                          .order = from.order(),
                          .timezone = from.timezone(),
                          .components = {from.components().begin(), from.components().end()},
                          .dead = {}};
  for (const auto& dead : from.dead()) to.dead.push_back(read(dead));
  return to;
}

}  // namespace pollux
