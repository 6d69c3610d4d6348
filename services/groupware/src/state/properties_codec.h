// Collection properties as they stand in requests, replies and rows alike.
#pragma once

#include "groupware.pb.h"
#include "pollux/groupware/requests.h"

namespace pollux {

inline void fill(groupware_wire::CollectionProperties* to, const CollectionProperties& from) {
  to->set_display_name(from.display_name);
  to->set_description(from.description);
  to->set_color(from.color);
  to->set_order(from.order);
  to->set_timezone(from.timezone);
  for (const auto& component : from.components) to->add_components(component);
  for (const auto& property : from.dead) {
    auto* dead = to->add_dead();
    dead->set_space(property.space);
    dead->set_name(property.name);
    dead->set_xml(property.xml);
  }
}

inline CollectionProperties read(const groupware_wire::CollectionProperties& from) {
  CollectionProperties to{.display_name = from.display_name(),
                          .description = from.description(),
                          .color = from.color(),
                          .order = from.order(),
                          .timezone = from.timezone(),
                          .components = {from.components().begin(), from.components().end()},
                          .dead = {}};
  for (const auto& dead : from.dead()) to.dead.push_back({dead.space(), dead.name(), dead.xml()});
  return to;
}

}  // namespace pollux
