// PutItem: stores an item's octets, if preconditions and UIDs allow.
#include <sodium.h>

#include <algorithm>
#include <array>

#include "state/changes.h"

namespace pollux {
namespace {

/// Strong and unique: the item's id and the change number are never used twice, and the hash tells apart
/// what a restore to an earlier time may number anew.
std::string make_etag(std::uint64_t item, std::uint64_t change, std::string_view content) {
  std::array<unsigned char, crypto_generichash_BYTES_MIN> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(content.data()),
                     content.size(), nullptr, 0);
  const auto hex = [](std::uint64_t number) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    do {
      text.insert(text.begin(), digits[number & 15]);
      number >>= 4;
    } while (number != 0);
    return text;
  };
  return "\"" + hex(item) + "-" + hex(change) + "-" + to_hex(hash.data(), 8) + "\"";
}

std::optional<ServiceReply> check_fields(const PutItem& request) {
  if (request.uid.empty() || request.uid.size() > GroupwareLimits::uid_bytes_max ||
      request.content_type.size() > GroupwareLimits::content_type_bytes_max ||
      request.component.size() > 32) {
    return refuse(
        Code::invalid_argument, RefusalReason::none,
        "An item needs a UID of at most " + std::to_string(GroupwareLimits::uid_bytes_max) + " bytes.");
  }
  return std::nullopt;
}

/// no-uid-conflict of RFC 4791, 5.3.2.1.
std::optional<ServiceReply> check_uid(const PutItem& request, const Place& place, WriteTxn& txn) {
  if (place.entry && place.entry->uid != request.uid) {
    return refuse(Code::conflict, RefusalReason::uid_conflict,
                  "The item that is here has another UID, and an item keeps its UID: delete it first.",
                  place.entry->name);
  }
  const auto other = txn.get(uid_key(place.parent, request.uid));
  if (other && *other != request.path.names.back()) {
    return refuse(Code::conflict, RefusalReason::uid_conflict,
                  "Another item of this calendar has the same UID: \"" + *other + "\".", *other);
  }
  return std::nullopt;
}

}  // namespace

ServiceReply execute(const PutItem& request, WallTime now, WriteTxn& txn) {
  const auto place = find_place(txn, request.caller, request.path);
  if (!place) return place.error();
  if (place->collection() != 0) {
    return refuse(Code::conflict, RefusalReason::is_collection,
                  "This is a collection: an item can't replace it.");
  }
  const auto parent = read_needed_row<CollectionRow>(txn, collection_key(place->parent));
  if (parent.kind != CollectionKind::calendar) {
    return refuse(Code::forbidden, RefusalReason::wrong_place,
                  "Items live in a calendar: choose or make one.");
  }
  if (auto refused = check_preconditions(request.when, place->entry)) return *refused;
  if (auto refused = check_fields(request)) return *refused;
  const auto& components = parent.properties.components;
  if (!components.empty() && std::ranges::find(components, request.component) == components.end()) {
    return refuse(Code::forbidden, RefusalReason::unsupported_component,
                  "This calendar does not take " + request.component + ".");
  }
  if (auto refused = check_uid(request, *place, txn)) return *refused;

  CollectionChange change(place->parent, now, txn);
  EntryRow entry{.name = request.path.names.back(),
                 .id = place->entry ? place->entry->id : take_id(txn),
                 .collection = false,
                 .etag = {},
                 .content_type = request.content_type,
                 .component = request.component,
                 .uid = request.uid,
                 .bytes = request.content.size(),
                 .created = place->entry ? place->entry->created : now,
                 .modified = now,
                 .change = change.counters.change};
  entry.etag = make_etag(entry.id, entry.change, request.content);
  if (place->entry) {
    change.counters.bytes -= place->entry->bytes;
  } else {
    ++change.counters.items;
    txn.put(uid_key(place->parent, request.uid), entry.name);
  }
  change.counters.bytes += entry.bytes;
  txn.put(entry_key(place->parent, entry.name), encode(entry));
  txn.put(body_key(entry.id), request.content);
  change.stored(entry.name, place->entry);
  change.write();
  return answer(Stored{.etag = entry.etag, .created = !place->entry, .modified = now});
}

}  // namespace pollux
