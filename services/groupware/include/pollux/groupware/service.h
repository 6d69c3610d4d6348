// The groupware service: users, their calendars, and what is in them, as a service of a pair.
//
// It answers what requests.h names. It does not parse iCalendar or HTTP: the gateway does that before it
// asks, so that the executor stays fast. What must be atomic is decided here: preconditions, UIDs, names.
#pragma once

#include <expected>
#include <memory>

#include "pollux/groupware/requests.h"
#include "pollux/services/service.h"

namespace pollux {

std::unique_ptr<Service> make_groupware_service();

/// GetItem without a message: for those who have the state at hand. The refusal is the reply to the query.
std::expected<Item, ServiceReply> read_item(const GetItem& query, WallTime now, ReadTxn& txn);
/// The same of GetItems, without locks.
std::expected<FoundItems, ServiceReply> read_items(const GetItems& query, ReadTxn& txn);

}  // namespace pollux
