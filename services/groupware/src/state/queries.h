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

}  // namespace pollux
