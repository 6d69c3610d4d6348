// One function a parser of what users, clients and files bring: whatever the bytes, no crash and no endless
// work; and what is accepted comes back the same where there is a way back. Called by the libFuzzer targets,
// and by a unit test with mutated seeds.
#pragma once

#include <string>
#include <string_view>

#include "dav/if_header.h"
#include "dav/path.h"
#include "dav/preconditions.h"
#include "dav/property_update.h"
#include "dav/xml.h"
#include "groupware_targets.h"
#include "ics_split.h"
#include "pollux/core/check.h"
#include "pollux/groupware/calendar_check.h"
#include "pollux/groupware/requests.h"
#include "pollux/ledger/ledger.h"

namespace pollux::testing {

inline void try_calendar(std::string_view bytes) {
  const auto object = check_calendar(bytes);
  if (object) {
    POLLUX_CHECK(!object->uid.empty() && !object->component.empty());
  } else {
    POLLUX_CHECK(!object.error().text.empty());
  }
}

/// Every object that a file is taken apart into can be taken apart again, into itself.
inline void try_split(std::string_view bytes) {
  const IcsSplit split = split_calendar(bytes);
  for (const IcsObject& object : split.objects) {
    const IcsSplit again = split_calendar(object.content);
    POLLUX_CHECK(again.objects.size() == 1 && again.objects.front().uid == object.uid);
  }
}

inline void try_xml(std::string_view bytes) {
  const auto root = parse_xml(bytes);
  if (!root) {
    POLLUX_CHECK(!root.error().text.empty());
    return;
  }
  std::string once;
  append_element(&once, *root);
  const auto again = parse_xml(once);
  POLLUX_CHECK(again.has_value());
  std::string twice;
  append_element(&twice, *again);
  POLLUX_CHECK(once == twice);
}

inline void try_target(std::string_view bytes) {
  const auto path = parse_target(bytes);
  if (!path || path->kind != DavPathKind::resource) return;
  const auto again = parse_target(resource_href(path->resource, path->slash));
  POLLUX_CHECK(again.has_value() && again->resource == path->resource);
}

inline void try_reference(std::string_view bytes) {
  const auto reference = parse_reference(bytes, "localhost");
  if (!reference || reference->path.kind != DavPathKind::resource) return;
  const auto again = parse_target(resource_href(reference->path.resource, reference->path.slash));
  POLLUX_CHECK(again.has_value() && again->resource == reference->path.resource);
}

inline void try_if_header(std::string_view bytes) {
  const auto lists = parse_if_header(bytes, "localhost");
  if (!lists) return;
  POLLUX_CHECK(!lists->empty());
  for (const auto& list : *lists) POLLUX_CHECK(!list.conditions.empty());
}

inline void try_properties(std::string_view bytes) {
  const auto root = parse_xml(bytes);
  if (!root) return;
  for (const bool making : {false, true}) {
    const auto update = read_property_update(*root, PropertyPlace::calendar, making);
    if (!update) continue;
    for (const auto& change : update->changes)
      POLLUX_CHECK(change.remove || parse_xml(change.dead.xml).has_value());
    std::string told;
    append_verdicts(&told, update->verdicts);
  }
}

inline void try_tags(std::string_view bytes) { static_cast<void>(parse_tag_list(bytes)); }

inline void try_groupware(std::string_view bytes) {
  if (const auto request = decode_groupware_request(bytes)) {
    const std::string once = encode(*request);
    POLLUX_CHECK(encode(decode_groupware_request(once).value()) == once);
  }
  if (const auto query = decode_groupware_query(bytes)) {
    const std::string once = encode(*query);
    POLLUX_CHECK(encode(decode_groupware_query(once).value()) == once);
  }
  static_cast<void>(decode_groupware_reply<Listing>(bytes));
  static_cast<void>(decode_groupware_reply<Item>(bytes));
  static_cast<void>(decode_groupware_reply<Refusal>(bytes));
}

inline void try_ledger(std::string_view bytes) {
  if (const auto request = ledger::decode_request(bytes)) {
    const std::string once = ledger::encode(*request);
    POLLUX_CHECK(ledger::encode(ledger::decode_request(once).value()) == once);
  }
  static_cast<void>(ledger::decode_query(bytes));
  static_cast<void>(ledger::decode_balance(bytes));
  static_cast<void>(ledger::decode_total(bytes));
}

}  // namespace pollux::testing
