// Requests that harm the member that executes them: for tests of the pair, never in service.
#pragma once

#include "pollux/ledger/ledger.h"

namespace pollux::ledger {

/// True if the environment has POLLUX_LEDGER_TEST_REQUESTS=1.
bool may_misbehave();
ServiceReply misbehave(const Misbehave& request, WriteTxn& txn);

}  // namespace pollux::ledger
