// The queries of the service, one function each.
#pragma once

#include "state/state.h"

namespace pollux {

ServiceReply query(const GetCredentials& query, WallTime now, ReadTxn& txn);
ServiceReply query(const ListUsers& query, WallTime now, ReadTxn& txn);
ServiceReply query(const GetItem& query, WallTime now, ReadTxn& txn);
ServiceReply query(const GetPrincipal& query, WallTime now, ReadTxn& txn);
ServiceReply query(const ListResources& query, WallTime now, ReadTxn& txn);
ServiceReply query(const ListShares& query, WallTime now, ReadTxn& txn);
// find_items.cc
ServiceReply query(const GetItems& query, WallTime now, ReadTxn& txn);
ServiceReply query(const FindItems& query, WallTime now, ReadTxn& txn);
ServiceReply query(const ListChanges& query, WallTime now, ReadTxn& txn);

/// An item as its row tells it, without dead properties and locks.
ItemInfo info_of(const EntryRow& entry);

}  // namespace pollux
