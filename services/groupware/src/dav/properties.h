// The properties of resources, and how PROPFIND tells them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dav/xml.h"
#include "pollux/groupware/requests.h"

namespace pollux {

enum class SubjectKind : std::uint8_t { root, principals, principal, homes, home, calendar, item };

/// A resource whose properties are asked for. The pointers fit the kind, and outlive the subject.
struct Subject {
  SubjectKind kind = SubjectKind::root;
  std::string href;
  const CollectionInfo* collection = nullptr;  ///< of home and calendar
  const ItemInfo* item = nullptr;
  const PrincipalInfo* principal = nullptr;
};
Subject subject_of(const Resource& resource, std::string href);

/// What a PROPFIND asks (RFC 4918, 9.1).
struct PropfindQuestion {
  enum class Mode : std::uint8_t { all, names, some } mode = Mode::all;
  std::vector<XmlName> names;  ///< of `some`; of `all`: those in DAV:include
};
/// An empty body asks for all. malformed with a sentence.
Result<PropfindQuestion> parse_propfind(std::string_view body);

/// Who asks, and under which limits: some properties tell that.
struct PropertyContext {
  std::string user;
  std::uint64_t item_bytes_max = 0;
};

/// Appends a DAV:response element.
void append_response(std::string* out, const Subject& subject, const PropfindQuestion& question,
                     const PropertyContext& context);

/// Computed by the server: no client may set it.
bool is_protected_property(const XmlName& name);

}  // namespace pollux
