// When the items of calendars may happen: an index, so that a search by time reads what it finds and not the whole
// calendar.
//
// An item has bounds [first_s, last_s] (calendar_check.h). In the index it stands under the length of these bounds, in a
// few levels, and within a level by first_s. Of a level nothing can reach into a search that begins more than the
// level's length before it: so a search is one short scan for each level, but for the one of what never ends.
#pragma once

#include <string>
#include <vector>

#include "state/state.h"

namespace pollux {

/// `before` is replaced by `after`, each if there is one, under `collection`. Items without times are passed over.
void change_times(WriteTxn& txn, std::uint64_t collection, const EntryRow* before, const EntryRow* after);

/// Calendars of earlier formats have no index: makes it, unless there are more than time_index_items_max items.
void make_time_index(WriteTxn& txn, std::uint64_t collection);

/// The names of the items that may happen within [from_s, to_s], in order.
std::vector<std::string> names_between(ReadTxn& txn, std::uint64_t collection, std::int64_t from_s, std::int64_t to_s);

}  // namespace pollux
