// What may be copied or moved where.
#pragma once

#include "state/changes.h"

namespace pollux {

/// What a copy takes along.
struct TreeSize {
  std::size_t resources = 0;  ///< the root not counted
  std::uint64_t bytes = 0;
  std::size_t depth = 0;  ///< levels below the root
};
/// Looks through a collection; none if it has more than copy_resources_max in it.
std::optional<TreeSize> size_of_tree(ReadTxn& txn, std::uint64_t collection);

/// All that is checked before anything is changed. None: go on.
std::optional<ServiceReply> check_transfer(const TransferResource& request, const Place& from,
                                           const Place& to, WallTime now, WriteTxn& txn);

}  // namespace pollux
