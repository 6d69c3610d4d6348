#include "route_table.h"

#include <iterator>

namespace pollux {

Route RouteTable::heard(std::string_view routing_id) {
  if (const auto found = by_id_.find(routing_id); found != by_id_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->route;
  }
  if (entries_.size() >= routes_max_) forget(entries_.back().route);
  entries_.push_front(Entry{Route{++last_number_}, std::string(routing_id)});
  by_id_.emplace(entries_.front().routing_id, entries_.begin());
  by_number_.emplace(last_number_, entries_.begin());
  return entries_.front().route;
}

const std::string* RouteTable::find(Route route) const {
  const auto found = by_number_.find(route.value);
  return found == by_number_.end() ? nullptr : &found->second->routing_id;
}

void RouteTable::forget(Route route) {
  const auto found = by_number_.find(route.value);
  if (found == by_number_.end()) return;
  const auto entry = found->second;
  by_id_.erase(entry->routing_id);
  by_number_.erase(found);
  entries_.erase(entry);
}

}  // namespace pollux
