// What clients set: the bodies of PROPPATCH, MKCOL and MKCALENDAR, property by property.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dav/xml.h"
#include "http/message.h"
#include "pollux/groupware/requests.h"

namespace pollux {

/// What became of one property that was to be set or removed.
struct PropertyVerdict {
  XmlName name;
  std::string_view status = "200 OK";  ///< a whole status: "403 Forbidden"
  std::string_view error;  ///< the precondition's element, e.g. "D:cannot-modify-protected-property"
};

struct PropertyUpdate {
  std::vector<PropertyChange> changes;
  std::vector<PropertyVerdict> verdicts;
  std::vector<std::string> components;  ///< supported-calendar-component-set
  std::vector<XmlName> resource_types;  ///< what DAV:resourcetype holds
  [[nodiscard]] bool is_refused() const;
  /// Nothing was done: those that could have been are 424.
  void fail_the_others();
  void fail_all(std::string_view status, std::string_view error);
};

/// Where the properties go: some mean something only there.
enum class PropertyPlace : std::uint8_t { calendar, addressbook, other };
PropertyPlace property_place(const ResourcePath& path);

/// `making`: resourcetype and supported-calendar-component-set can be given, and nothing can be removed.
/// The root's children are DAV:set and DAV:remove. malformed with a sentence.
Result<PropertyUpdate> read_property_update(const XmlElement& root, PropertyPlace place, bool making);

/// DAV:propstat elements, one for each status and error.
void append_verdicts(std::string* out, const std::vector<PropertyVerdict>& verdicts);

/// Properties of a new collection.
CollectionProperties new_properties(PropertyUpdate update);

/// RFC 4791, 5.2.2: one VTIMEZONE in a VCALENDAR. None: it is. Otherwise a sentence.
std::optional<std::string> check_timezone(std::string_view text);

}  // namespace pollux
