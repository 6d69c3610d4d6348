// AddUser, SetPassword, RemoveUser, SetQuota.
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

/// A user goes: nobody keeps an entry of what it has shared, and it none of what was shared with it.
void end_all_sharing(const std::string& user, std::uint64_t home, WallTime now, WriteTxn& txn) {
  std::vector<EntryRow> entries;
  const auto range = collection_range('e', home);
  txn.scan(range.from, range.to, [&](std::string_view, std::string_view value) {
    if (auto entry = decode_row<EntryRow>(value); entry.collection) entries.push_back(std::move(entry));
    return true;
  });
  for (const auto& entry : entries) {
    if (entry.shared_access == Access::none) {
      end_sharing(entry.id, now, txn);
    } else {
      txn.erase(grant_key(entry.id, user));
      txn.erase(entry_key(home, entry.name));
    }
  }
}

void end_home_locks(std::uint64_t home, WriteTxn& txn) {
  const auto range = collection_range('l', home);
  std::vector<std::string> keys;
  txn.scan(range.from, range.to, [&](std::string_view key, std::string_view) {
    keys.emplace_back(key);
    return true;
  });
  for (const auto& key : keys) txn.erase(key);
}

/// What is still to be erased counts for nobody: a user of the same name who is added later begins with
/// nothing.
void forget_usage_in_trash(const std::string& user, WriteTxn& txn) {
  std::vector<std::string> keys;
  const auto range = table_range('z');
  txn.scan(range.from, range.to, [&](std::string_view key, std::string_view owner) {
    if (owner == user) keys.emplace_back(key);
    return true;
  });
  for (const auto& key : keys) txn.put(key, "");
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
                         .credential_version = take_id(txn)};
  txn.put(credential_key(request.user), encode(CredentialRow{request.password_hash, now}));
  make_homes(request.user, &principal, now, txn);
  return answer(PrincipalInfo{.user = request.user, .display_name = principal.display_name, .created = now});
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
  for (const std::uint64_t home : {principal->calendars, principal->contacts, principal->files}) {
    if (home == 0) continue;
    end_all_sharing(request.user, home, now, txn);
    end_home_locks(home, txn);
    put_into_trash(txn, home, request.user);
  }
  txn.erase(usage_key(request.user));
  forget_usage_in_trash(request.user, txn);
  return answer(Stored{.etag = {}, .created = false, .modified = now});
}

ServiceReply execute(const SetQuota& request, WallTime now, WriteTxn& txn) {
  auto principal = find_user(txn, request.user);
  if (!principal) return no_user(request.user);
  principal->quota_bytes = request.bytes;
  txn.put(principal_key(request.user), encode(*principal));
  return answer(Stored{.etag = {}, .created = false, .modified = now});
}

}  // namespace pollux
