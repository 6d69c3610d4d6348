// The gateway's URLs.
//
//   /                              who is logged in, and where to go
//   /dav/                          the same
//   /dav/principals/USER/          a user
//   /dav/calendars/USER/           its calendar home
//   /dav/calendars/USER/NAME/      a calendar
//   /dav/calendars/USER/NAME/ITEM  an item
//   /dav/contacts/USER/...         the same with address books
//   /dav/files/USER/...            plain items and collections, in any depth
//   /.well-known/caldav, carddav   redirect to /dav/ (RFC 6764)
#pragma once

#include <string>
#include <string_view>

#include "pollux/groupware/requests.h"

namespace pollux {

enum class DavPathKind : std::uint8_t { root, principals, principal, homes, resource, well_known, unknown };

struct DavPath {
  DavPathKind kind = DavPathKind::unknown;
  ResourcePath resource;  ///< of `resource`; of `principal` only the user, of `homes` only the space
  bool slash = false;     ///< the URL ended in one
  bool operator==(const DavPath&) const = default;
};

/// Reads a request target (origin or absolute form); invalid_argument with a sentence if it is malformed or
/// tries to climb out of its collection.
Result<DavPath> parse_target(std::string_view target);

/// A URL that a client names in a header or body: a Destination, a tag of an If header, an href. A path, or
/// an absolute http or https URL with `host` (the request's Host header; empty: any) as its authority. What
/// should have been percent-encoded, such as spaces and UTF-8, is taken as it is; query and fragment are
/// ignored.
struct Reference {
  DavPath path;
  bool elsewhere = false;  ///< it is not on this server
};
Result<Reference> parse_reference(std::string_view text, std::string_view host);

/// The second segment of a URL in that space: "calendars", "contacts", "files".
std::string_view space_name(DavSpace space);

// Percent-encoded, as they are told to clients.
std::string principal_href(std::string_view user);
std::string homes_href(DavSpace space);
std::string home_href(DavSpace space, std::string_view user);
/// With a slash at the end for a collection.
std::string resource_href(const ResourcePath& path, bool collection);
/// `parent` (a collection's href) and one more name.
std::string child_href(std::string_view parent, std::string_view name, bool collection);

}  // namespace pollux
