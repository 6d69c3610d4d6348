// The queries of the service, one function each.
#pragma once

#include "state/state.h"

namespace pollux {

ServiceReply query(const GetCredentials& query, ReadTxn& txn);
ServiceReply query(const ListUsers& query, ReadTxn& txn);
ServiceReply query(const GetItem& query, ReadTxn& txn);
ServiceReply query(const GetPrincipal& query, ReadTxn& txn);
ServiceReply query(const ListResources& query, ReadTxn& txn);

}  // namespace pollux
