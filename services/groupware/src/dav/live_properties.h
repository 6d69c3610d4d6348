// The table of live properties.
#pragma once

#include <span>

#include "dav/properties.h"

namespace pollux {

struct LiveProperty {
  std::string_view space, name;
  bool in_allprop;  ///< those of RFC 4918; others only when asked for by name (RFC 4791, 5.2)
  bool is_protected;
  /// Appends the value; false if the subject has no such property.
  bool (*write)(const Subject& subject, const PropertyContext& context, std::string* out);
};

std::span<const LiveProperty> live_properties();

}  // namespace pollux
