// Route numbers for ZeroMQ's routing ids. Bounded: the requester that was silent longest is forgotten first.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "pollux/core/types.h"

namespace pollux {

class RouteTable {
 public:
  explicit RouteTable(std::size_t routes_max) : routes_max_(routes_max) {}

  /// The route of a routing id, which was just heard: known or new. A forgotten one gets a new number.
  Route heard(std::string_view routing_id);
  /// Null if forgotten.
  [[nodiscard]] const std::string* find(Route route) const;
  void forget(Route route);

  [[nodiscard]] std::size_t size() const { return by_number_.size(); }
  template <class Visit>
  void each(Visit visit) const {
    for (const Entry& entry : entries_) visit(entry.route, entry.routing_id);
  }

 private:
  struct Entry {
    Route route;
    std::string routing_id;
  };
  using Entries = std::list<Entry>;  ///< the last heard first

  std::size_t routes_max_;
  std::uint64_t last_number_ = 0;
  Entries entries_;
  std::unordered_map<std::string_view, Entries::iterator> by_id_;  ///< keys live in the entries
  std::unordered_map<std::uint64_t, Entries::iterator> by_number_;
};

}  // namespace pollux
