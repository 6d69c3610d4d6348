// PutItem: stores an item's octets, if preconditions and UIDs allow.
#include <sodium.h>

#include <algorithm>
#include <array>

#include "state/changes.h"
#include "state/names.h"
#include "state/time_index.h"

namespace pollux {
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

namespace {

std::optional<ServiceReply> check_fields(const PutItem& request, CollectionKind parent) {
  constexpr std::size_t component_bytes_max = 32;
  if (request.content_type.size() > GroupwareLimits::content_type_bytes_max ||
      request.component.size() > component_bytes_max || has_control(request.content_type)) {
    return refuse(Code::invalid_argument, RefusalReason::none,
                  "A content type is one line of at most " +
                      std::to_string(GroupwareLimits::content_type_bytes_max) + " bytes.");
  }
  const bool plain = parent == CollectionKind::plain || parent == CollectionKind::home;
  if (!plain && (request.uid.empty() || request.uid.size() > GroupwareLimits::uid_bytes_max)) {
    return refuse(
        Code::invalid_argument, RefusalReason::none,
        "An item needs a UID of at most " + std::to_string(GroupwareLimits::uid_bytes_max) + " bytes.");
  }
  return std::nullopt;
}

/// What the collection takes: RFC 4791, 5.2.3, and RFC 6352, 5.1.
std::optional<ServiceReply> check_component(const PutItem& request, const CollectionRow& parent) {
  if (parent.kind == CollectionKind::addressbook) {
    if (request.component == vcard_component) return std::nullopt;
    return refuse(Code::forbidden, RefusalReason::unsupported_component, "An address book takes vCards.");
  }
  if (parent.kind != CollectionKind::calendar) return std::nullopt;
  const auto& components = parent.properties.components;
  const bool takes = components.empty()
                         ? request.component != vcard_component
                         : std::ranges::find(components, request.component) != components.end();
  if (takes) return std::nullopt;
  return refuse(Code::forbidden, RefusalReason::unsupported_component,
                "This calendar does not take " + request.component + ".");
}

}  // namespace

std::optional<ServiceReply> check_uid(const Place& place, const std::string& uid,
                                      const std::string& moved_name, ReadTxn& txn) {
  if (place.entry && !place.entry->collection && place.entry->uid != uid) {
    return refuse(Code::conflict, RefusalReason::uid_conflict,
                  "The item that is here has another UID, and an item keeps its UID: delete it first.",
                  place.entry->name);
  }
  const auto other = txn.get(uid_key(place.parent, uid));
  if (other && *other != place.path.names.back() && *other != moved_name) {
    return refuse(Code::conflict, RefusalReason::uid_conflict,
                  "Another item of this collection has the same UID: \"" + *other + "\".", *other);
  }
  return std::nullopt;
}

std::optional<ServiceReply> check_item_place(const Place& place, CollectionKind parent) {
  if (parent != CollectionKind::home || place.path.space == DavSpace::files) return std::nullopt;
  return refuse(Code::forbidden, RefusalReason::wrong_place,
                place.path.space == DavSpace::calendars
                    ? "Items live in a calendar: choose or make one."
                    : "Cards live in an address book: choose or make one.");
}

namespace {

std::optional<ServiceReply> check_put(const PutItem& request, const Place& place, const CollectionRow& parent,
                                      const Terms& terms, WriteTxn& txn) {
  if (auto refused = check_item_place(place, parent.kind)) return refused;
  if (auto refused = check_preconditions(txn, terms, place)) return refused;
  if (auto refused = check_locks(txn, terms, place, {.itself = true, .member = !place.entry})) return refused;
  if (auto refused = check_fields(request, parent.kind)) return refused;
  if (auto refused = check_component(request, parent)) return refused;
  if (keeps_uids(parent.kind)) {
    if (auto refused = check_uid(place, request.uid, {}, txn)) return refused;
  }
  const std::uint64_t before = place.entry ? place.entry->bytes : 0;
  const std::uint64_t size = request.content.size();
  return check_quota(txn, place.owner, size > before ? size - before : 0);
}

}  // namespace

ServiceReply execute(const PutItem& request, WallTime now, WriteTxn& txn) {
  const auto place = find_place(txn, request.caller, request.path);
  if (!place) return place.error();
  if (place->lacks_parent()) return no_parent(txn, *place);
  if (place->collection() != 0) {
    return refuse(Code::conflict, RefusalReason::is_collection,
                  "This is a collection: an item can't replace it.");
  }
  if (auto refused = check_write(*place)) return *refused;
  const auto parent = read_needed_row<CollectionRow>(txn, collection_key(place->parent));
  const Terms terms{request.caller, request.when, now};
  if (auto refused = check_put(request, *place, parent, terms, txn)) return *refused;

  const std::uint64_t bytes_before = place->entry ? place->entry->bytes : 0;
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
                 .change = change.counters.change,
                 .first_s = request.first_s,
                 .last_s = request.last_s,
                 .has_dead = place->entry && place->entry->has_dead};
  entry.etag = make_etag(entry.id, entry.change, request.content);
  if (!place->entry) {
    ++change.counters.items;
    if (keeps_uids(parent.kind)) txn.put(uid_key(place->parent, request.uid), entry.name);
  }
  change.counters.bytes += entry.bytes - bytes_before;
  txn.put(entry_key(place->parent, entry.name), encode(entry));
  if (!parent.time_index) make_time_index(txn, place->parent);
  change_times(txn, place->parent, place->entry ? &*place->entry : nullptr, &entry);
  txn.put(body_key(entry.id), request.content);
  change.stored(entry.name, place->entry);
  change.write();
  add_usage(txn, place->owner,
            static_cast<std::int64_t>(entry.bytes) - static_cast<std::int64_t>(bytes_before));
  return answer(Stored{.etag = entry.etag, .created = !place->entry, .modified = now});
}

}  // namespace pollux
