// AddUser, SetPassword, RemoveUser.
#include "state/changes.h"
#include "state/names.h"

namespace pollux {
namespace {

std::optional<ServiceReply> check_hash(const std::string& hash) {
  if (!hash.empty() && hash.size() <= GroupwareLimits::password_hash_bytes_max && !has_control(hash)) {
    return std::nullopt;
  }
  return refuse(Code::invalid_argument, RefusalReason::none, "This is no password hash.");
}

/// A name no user can have is no key either: it may be too long for one.
std::optional<PrincipalRow> find_user(WriteTxn& txn, const std::string& user) {
  if (!check_user_name(user)) return std::nullopt;
  return read_row<PrincipalRow>(txn, principal_key(user));
}

ServiceReply no_user(const std::string& user) {
  return refuse(Code::not_found, RefusalReason::none, "There is no user \"" + user + "\".");
}

void add_default_calendar(const std::string& user, std::uint64_t home, WallTime now, WriteTxn& txn) {
  const std::string name = "default";
  const std::uint64_t id = make_collection_rows({.kind = CollectionKind::calendar,
                                                 .owner = user,
                                                 .parent = home,
                                                 .name = name,
                                                 .created = now,
                                                 .properties = {.display_name = "Calendar"}},
                                                txn);
  CollectionChange change(home, now, txn);
  ++change.counters.items;
  txn.put(entry_key(home, name), encode(EntryRow{.name = name,
                                                 .id = id,
                                                 .collection = true,
                                                 .created = now,
                                                 .modified = now,
                                                 .change = change.counters.change}));
  change.stored(name, std::nullopt);
  change.write();
}

}  // namespace

ServiceReply execute(const AddUser& request, WallTime now, WriteTxn& txn) {
  if (const auto good = check_user_name(request.user); !good) {
    return refuse(Code::invalid_argument, RefusalReason::bad_name, good.error().text);
  }
  if (auto refused = check_hash(request.password_hash)) return *refused;
  if (request.display_name.size() > GroupwareLimits::display_name_bytes_max ||
      !is_utf8(request.display_name) || has_control(request.display_name)) {
    return refuse(Code::invalid_argument, RefusalReason::bad_name,
                  "A display name is one line of UTF-8 of at most " +
                      std::to_string(GroupwareLimits::display_name_bytes_max) + " bytes.");
  }
  if (txn.get(principal_key(request.user))) {
    return refuse(Code::already_exists, RefusalReason::none,
                  "There is a user \"" + request.user + "\" already.");
  }
  PrincipalRow principal{.display_name = request.display_name.empty() ? request.user : request.display_name,
                         .created = now,
                         .credential_version = take_id(txn),
                         .calendars = make_collection_rows({.kind = CollectionKind::home,
                                                            .owner = request.user,
                                                            .parent = 0,
                                                            .name = {},
                                                            .created = now,
                                                            .properties = {}},
                                                           txn)};
  txn.put(principal_key(request.user), encode(principal));
  txn.put(credential_key(request.user), encode(CredentialRow{request.password_hash, now}));
  add_default_calendar(request.user, principal.calendars, now, txn);
  return answer(PrincipalInfo{request.user, principal.display_name, now});
}

ServiceReply execute(const SetPassword& request, WallTime now, WriteTxn& txn) {
  if (auto refused = check_hash(request.password_hash)) return *refused;
  auto principal = find_user(txn, request.user);
  if (!principal) return no_user(request.user);
  principal->credential_version = take_id(txn);
  txn.put(principal_key(request.user), encode(*principal));
  txn.put(credential_key(request.user), encode(CredentialRow{request.password_hash, now}));
  return answer(Stored{.etag = {}, .created = false, .modified = now});
}

ServiceReply execute(const RemoveUser& request, WallTime now, WriteTxn& txn) {
  const auto principal = find_user(txn, request.user);
  if (!principal) return no_user(request.user);
  txn.erase(principal_key(request.user));
  txn.erase(credential_key(request.user));
  txn.put(trash_key(principal->calendars), "");
  return answer(Stored{.etag = {}, .created = false, .modified = now});
}

}  // namespace pollux
