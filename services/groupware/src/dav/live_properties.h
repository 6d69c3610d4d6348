// The table of live properties, and the functions that write them, by what they are about.
#pragma once

#include <span>

#include "dav/properties.h"

namespace pollux {

/// Appends the value; false if the subject has no such property.
using WriteProperty = bool (*)(const Subject& subject, const PropertyContext& context, std::string* out);

struct LiveProperty {
  std::string_view space, name;
  bool in_allprop;  ///< those of RFC 4918; others only when asked for by name (RFC 4791, 5.2)
  bool is_protected;
  WriteProperty write;
};

std::span<const LiveProperty> live_properties();

// live_basic.cc: RFC 4918, RFC 4331, getctag and sync-token.
std::span<const LiveProperty> basic_properties();
// live_acl.cc: RFC 3744, RFC 5397, and the homes of a principal.
std::span<const LiveProperty> acl_properties();
// live_calendar.cc: RFC 4791 and RFC 6352.
std::span<const LiveProperty> calendar_properties();
// live_locks.cc
std::span<const LiveProperty> lock_properties();

/// DAV:activelock elements (RFC 4918, 15.8).
void append_active_locks(std::string* out, const std::vector<Lock>& locks, WallTime now);

// What they share.
bool write_text(std::string_view text, std::string* out);  ///< false if it is empty
bool write_href(std::string_view href, std::string* out);

}  // namespace pollux
