// MakeHomes: what every user has from the first day, and what those of an older format are given later.
#include "state/changes.h"

namespace pollux {
namespace {

std::uint64_t make_home(const std::string& user, WallTime now, WriteTxn& txn) {
  return make_collection_rows({.kind = CollectionKind::home,
                               .owner = user,
                               .parent = 0,
                               .name = {},
                               .created = now,
                               .properties = {}},
                              txn);
}

void add_unless_there(const CollectionRow& row, WriteTxn& txn) {
  if (!txn.get(entry_key(row.parent, row.name))) add_collection(row, txn);
}

}  // namespace

void make_homes(const std::string& user, PrincipalRow* principal, WallTime now, WriteTxn& txn) {
  if (principal->calendars == 0) {
    principal->calendars = make_home(user, now, txn);
    add_collection({.kind = CollectionKind::calendar,
                    .owner = user,
                    .parent = principal->calendars,
                    .name = "default",
                    .created = now,
                    .properties = {.display_name = "Calendar"}},
                   txn);
  }
  if (principal->contacts == 0) {
    // Counted before there is anything but calendars: see used_bytes.
    txn.put(usage_key(user), encode(UsageRow{used_bytes(txn, user, *principal)}));
    add_unless_there({.kind = CollectionKind::calendar,
                      .owner = user,
                      .parent = principal->calendars,
                      .name = "tasks",
                      .created = now,
                      .properties = {.display_name = "Tasks", .components = {"VTODO"}}},
                     txn);
    principal->contacts = make_home(user, now, txn);
    add_collection({.kind = CollectionKind::addressbook,
                    .owner = user,
                    .parent = principal->contacts,
                    .name = "default",
                    .created = now,
                    .properties = {.display_name = "Contacts"}},
                   txn);
  }
  if (principal->files == 0) principal->files = make_home(user, now, txn);
  txn.put(principal_key(user), encode(*principal));
}

ServiceReply execute(const MakeHomes& request, WallTime now, WriteTxn& txn) {
  auto principal = admit(txn, request.caller);
  if (!principal) return principal.error();
  make_homes(request.caller.user, &*principal, now, txn);
  return answer(Stored{.etag = {}, .created = false, .modified = now});
}

}  // namespace pollux
