// The requests of the service, one function each, and what they share in writing.
#pragma once

#include "state/state.h"

namespace pollux {

// One file each: users.cc (three), put_item.cc, delete_resource.cc, make_collection.cc.
ServiceReply execute(const AddUser& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const SetPassword& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const RemoveUser& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const PutItem& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const DeleteResource& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const MakeCollection& request, WallTime now, WriteTxn& txn);

/// The next id: of a collection, an item, or a credential version. Never given twice.
std::uint64_t take_id(WriteTxn& txn);
/// Makes a collection's rows (not its entry in a parent) and returns its id.
std::uint64_t make_collection_rows(CollectionRow row, WriteTxn& txn);

/// The counters of a collection that is being changed: raises the change number; `write` puts them back.
class CollectionChange {
 public:
  CollectionChange(std::uint64_t collection, WallTime now, WriteTxn& txn);
  CounterRow counters;  ///< with the new change number
  /// The entry `name` is stored with this change; `before` is what it replaces, if anything.
  void stored(const std::string& name, const std::optional<EntryRow>& before);
  /// The entry `before` is deleted with this change; old deletions are forgotten past a limit.
  void deleted(const EntryRow& before);
  void write();

 private:
  std::uint64_t collection_;
  WriteTxn& txn_;
};

/// True if the entry was stored after the second that If-Unmodified-Since names, and that header counts
/// (RFC 9110, 13.1.4 and 13.2.2: not beside If-Match).
bool modified_since(const Preconditions& when, const EntryRow& entry);
/// The conditions of a request before a change; `entry`: what is there, if anything. None: go on.
std::optional<ServiceReply> check_preconditions(const Preconditions& when,
                                                const std::optional<EntryRow>& entry);

/// Erases up to trash_rows_per_request rows of deleted collections. Deleting a collection only takes it
/// out of its parent, so that it is atomic and quick whatever is in it; its rows go bit by bit, with the
/// requests that follow.
void purge_trash(WriteTxn& txn);

}  // namespace pollux
