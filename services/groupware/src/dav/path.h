// The gateway's URLs.
//
//   /                              who is logged in, and where to go
//   /dav/                          the same
//   /dav/principals/USER/          a user
//   /dav/calendars/USER/           its calendar home
//   /dav/calendars/USER/NAME/      a calendar
//   /dav/calendars/USER/NAME/ITEM  an item
//   /.well-known/caldav            redirects to /dav/ (RFC 6764)
#pragma once

#include <string>
#include <string_view>

#include "pollux/groupware/requests.h"

namespace pollux {

enum class DavPathKind : std::uint8_t { root, principals, principal, homes, resource, well_known, unknown };

struct DavPath {
  DavPathKind kind = DavPathKind::unknown;
  ResourcePath resource;  ///< of `resource`; of `principal` only the user
  bool slash = false;     ///< the URL ended in one
};

/// Reads a request target (origin or absolute form); invalid_argument with a sentence if it is malformed or
/// tries to climb out of its collection.
Result<DavPath> parse_target(std::string_view target);

/// Percent-encoded, as they are told to clients.
std::string principal_href(std::string_view user);
std::string home_href(std::string_view user);
/// With a slash at the end for a collection.
std::string resource_href(const ResourcePath& path, bool collection);
/// `parent` (a collection's href) and one more name.
std::string child_href(std::string_view parent, std::string_view name, bool collection);

}  // namespace pollux
