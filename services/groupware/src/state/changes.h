// The requests of the service, one function each, and what they share in writing.
#pragma once

#include "state/locks.h"
#include "state/state.h"

namespace pollux {

// One file each: users.cc (AddUser, SetPassword, RemoveUser, SetQuota), homes.cc, put_item.cc,
// delete_resource.cc, make_collection.cc, set_properties.cc, transfer.cc, lock_resource.cc (three),
// sharing.cc.
ServiceReply execute(const AddUser& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const SetPassword& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const RemoveUser& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const SetQuota& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const MakeHomes& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const PutItem& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const DeleteResource& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const MakeCollection& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const SetProperties& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const TransferResource& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const LockResource& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const RefreshLock& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const UnlockResource& request, WallTime now, WriteTxn& txn);
ServiceReply execute(const ShareCollection& request, WallTime now, WriteTxn& txn);

/// The next id: of a collection, an item, or a credential version. Never given twice.
std::uint64_t take_id(WriteTxn& txn);
/// Makes a collection's rows (not its entry in a parent) and returns its id.
std::uint64_t make_collection_rows(CollectionRow row, WriteTxn& txn);
/// Makes a collection with its entry in `row.parent`, where nothing has `row.name`; returns its id.
std::uint64_t add_collection(const CollectionRow& row, WriteTxn& txn);
/// Makes what a user should have and hasn't, and puts the principal's row.
void make_homes(const std::string& user, PrincipalRow* principal, WallTime now, WriteTxn& txn);

/// Strong and unique: the item's id and the change number are never used twice, and the hash tells apart what
/// a restore to an earlier time may number anew.
std::string make_etag(std::uint64_t item, std::uint64_t change, std::string_view content);
std::size_t size_of(const CollectionProperties& properties);
std::size_t size_of(const std::vector<DeadProperty>& properties);

/// What the items of an address book are, where those of a calendar are VEVENT and so on.
inline constexpr std::string_view vcard_component = "VCARD";
/// Whether items in such a collection have UIDs, each once.
inline bool keeps_uids(CollectionKind kind) {
  return kind == CollectionKind::calendar || kind == CollectionKind::addressbook;
}
/// no-uid-conflict of RFC 4791, 5.3.2.1. `moved_name`: an item of the same collection that makes way.
std::optional<ServiceReply> check_uid(const Place& place, const std::string& uid,
                                      const std::string& moved_name, ReadTxn& txn);
/// Whether an item can be in that kind of collection.
std::optional<ServiceReply> check_item_place(const Place& place, CollectionKind parent);

/// The counters of a collection that is being changed: raises the change number; `write` puts them back.
class CollectionChange {
 public:
  CollectionChange(std::uint64_t collection, WallTime now, WriteTxn& txn);
  CounterRow counters;  ///< with the new change number
  /// The entry `name` is stored with this change; `before` is what it replaces, if anything.
  void stored(const std::string& name, const std::optional<EntryRow>& before);
  /// The entry `before` is deleted with this change; old deletions are forgotten past a limit.
  void deleted(const EntryRow& before);
  /// Another change of the same collection, within this request.
  void next() { ++counters.change; }
  void write();

 private:
  std::uint64_t collection_;
  WriteTxn& txn_;
};

/// None: the caller may change it. Otherwise forbidden/read_only.
std::optional<ServiceReply> check_write(const Place& place);
/// None: the owner's quota has room for so many bytes more.
std::optional<ServiceReply> check_quota(ReadTxn& txn, const std::string& owner, std::uint64_t more);
/// Counts what the user stores.
void add_usage(WriteTxn& txn, const std::string& user, std::int64_t bytes);
/// A collection goes away with all that is in it: see purge_trash.
void put_into_trash(WriteTxn& txn, std::uint64_t collection, const std::string& owner);
/// Takes what is at `place` out of its parent, with its locks. `change` is of that parent. `replaced`:
/// something else is stored under the name at once, so that it is no deletion for those who synchronize.
void remove_entry(const Place& place, WallTime now, CollectionChange* change, WriteTxn& txn,
                  bool replaced = false);
/// Nobody has a second entry of the collection any more.
void end_sharing(std::uint64_t collection, WallTime now, WriteTxn& txn);

/// Erases up to trash_rows_per_request rows of deleted collections. Deleting a collection only takes it
/// out of its parent, so that it is atomic and quick whatever is in it; its rows go bit by bit, with the
/// requests that follow. What is in it counts for the owner's usage until it is erased.
void purge_trash(WriteTxn& txn);

}  // namespace pollux
