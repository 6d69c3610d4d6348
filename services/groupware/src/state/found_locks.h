// The locks of the items that a query found. Few clients ask for them in a REPORT, so they cost the others
// nothing.
#pragma once

#include "state/state.h"

namespace pollux {

/// `reply`: FoundItems, or a refusal, which stays as it is. Puts into each item the locks that cover it (RFC
/// 4918, 15.8). `path`: of the collection that was asked, in the same transaction.
ServiceReply with_found_locks(ServiceReply reply, const Caller& caller, const ResourcePath& path,
                              WallTime now, ReadTxn& txn);

}  // namespace pollux
