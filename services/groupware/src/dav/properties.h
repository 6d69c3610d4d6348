// The properties of resources, and how PROPFIND tells them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dav/xml.h"
#include "http/message.h"
#include "pollux/groupware/requests.h"

namespace pollux {

enum class SubjectKind : std::uint8_t {
  root,
  principals,
  principal,
  homes,
  home,
  calendar,
  addressbook,
  plain,
  item
};

/// A resource whose properties are asked for. The pointers fit the kind, and outlive the subject.
struct Subject {
  SubjectKind kind = SubjectKind::root;
  std::string href;
  const CollectionInfo* collection = nullptr;  ///< of home, calendar, addressbook and plain
  const ItemInfo* item = nullptr;
  const PrincipalInfo* principal = nullptr;
  DavSpace space = DavSpace::calendars;  ///< of homes, and of what is in them
  std::string owner;                     ///< of an item
  Access access = Access::owner;         ///< the caller's, to an item or a collection
  std::string_view content;  ///< of an item in a REPORT: calendar-data or address-data, an XML element
};
/// `owner` and `access`: of the collection that an item is in.
Subject subject_of(const Resource& resource, std::string href, DavSpace space, std::string owner,
                   Access access);

/// What a PROPFIND asks (RFC 4918, 9.1).
struct PropfindQuestion {
  enum class Mode : std::uint8_t { all, names, some } mode = Mode::all;
  std::vector<XmlName> names;  ///< of `some`; of `all`: those in DAV:include
  bool minimal = false;        ///< Prefer: return=minimal: what a resource doesn't have is not told
  /// What the pair has to look up for it.
  [[nodiscard]] bool wants_dead() const;
  [[nodiscard]] bool wants_locks() const;
};
/// An empty body asks for all. malformed with a sentence.
Result<PropfindQuestion> parse_propfind(std::string_view body);
/// The names in a DAV:prop element.
std::vector<XmlName> names_in(const XmlElement& prop);

/// Who asks, and under which limits: some properties tell that.
struct PropertyContext {
  std::string user;
  std::uint64_t item_bytes_max = 0;
  WallTime now;  ///< for what is left of a lock's timeout
};

/// Appends a DAV:response element.
void append_response(std::string* out, const Subject& subject, const PropfindQuestion& question,
                     const PropertyContext& context);
/// Appends one property with its value; false, and nothing appended, if the subject has no such property.
bool append_property(std::string* out, const XmlName& name, const Subject& subject,
                     const PropertyContext& context);
/// Appends a DAV:propstat element.
void append_propstat(std::string* out, std::string_view properties, std::string_view status);

/// 207 with what was appended between `multistatus_begin` and its end.
std::string multistatus_begin();
HttpResponse multistatus_response(std::string body);

/// Computed by the server: no client may set it.
bool is_protected_property(const XmlName& name);

/// RFC 7240: whether Prefer has `return=minimal`, or `return=representation`. `Brief: t` means minimal, too.
bool prefers_minimal(const HttpRequest& request);
bool prefers_representation(const HttpRequest& request);
/// RFC 8144, 4: of a collection only what is in it is wanted.
bool prefers_no_root(const HttpRequest& request);

}  // namespace pollux
