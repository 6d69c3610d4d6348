// Who may do what: RFC 3744, RFC 5397, and where a principal's collections are.
//
// Access is all or nothing at the level of a shared collection: the owner may do everything, a user with whom
// it is shared may read, or read and write. Access lists can't be changed by the ACL method; `pollux share`
// does it.
#include <array>

#include "dav/live_properties.h"
#include "dav/path.h"

namespace pollux {
namespace {

bool is_stored(const Subject& subject) { return subject.collection != nullptr || subject.item != nullptr; }

std::string owner_of(const Subject& subject) {
  if (subject.collection != nullptr) return subject.collection->owner;
  if (subject.principal != nullptr) return subject.principal->user;
  return subject.owner;
}

Access access_to(const Subject& subject, const PropertyContext& context) {
  if (is_stored(subject)) return subject.access;
  if (subject.principal != nullptr && subject.principal->user == context.user) return Access::owner;
  return Access::read;
}

bool current_user_principal(const Subject&, const PropertyContext& context, std::string* out) {
  return write_href(principal_href(context.user), out);
}
bool principal_url(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.principal != nullptr && write_href(principal_href(subject.principal->user), out);
}
bool empty_of_principal(const Subject& subject, const PropertyContext&, std::string*) {
  return subject.principal != nullptr;
}
bool principal_collection_set(const Subject&, const PropertyContext&, std::string* out) {
  return write_href("/dav/principals/", out);
}
bool calendar_home_set(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.principal != nullptr &&
         write_href(home_href(DavSpace::calendars, subject.principal->user), out);
}
bool addressbook_home_set(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.principal != nullptr &&
         write_href(home_href(DavSpace::contacts, subject.principal->user), out);
}
/// What other principals are known by; RFC 6638 gives mail addresses, which are not stored here.
bool calendar_user_address_set(const Subject& subject, const PropertyContext&, std::string* out) {
  if (subject.principal == nullptr) return false;
  write_href(principal_href(subject.principal->user), out);
  if (subject.principal->user.contains('@')) write_href("mailto:" + subject.principal->user, out);
  return true;
}

bool owner(const Subject& subject, const PropertyContext&, std::string* out) {
  return is_stored(subject) && write_href(principal_href(owner_of(subject)), out);
}

constexpr std::string_view read_privileges =
    "<D:privilege><D:read/></D:privilege><D:privilege><D:read-current-user-privilege-set/></D:privilege>";
constexpr std::string_view write_privileges =
    "<D:privilege><D:write/></D:privilege><D:privilege><D:write-properties/></D:privilege>"
    "<D:privilege><D:write-content/></D:privilege><D:privilege><D:bind/></D:privilege>"
    "<D:privilege><D:unbind/></D:privilege>";

bool current_user_privilege_set(const Subject& subject, const PropertyContext& context, std::string* out) {
  const Access access = access_to(subject, context);
  if (access == Access::owner && is_stored(subject)) {
    out->append("<D:privilege><D:all/></D:privilege>");
  }
  out->append(read_privileges);
  if (subject.space == DavSpace::calendars && is_stored(subject)) {
    out->append("<D:privilege><C:read-free-busy/></D:privilege>");
  }
  if (is_stored(subject) && access >= Access::write) out->append(write_privileges);
  if (access == Access::owner && is_stored(subject)) {
    out->append("<D:privilege><D:unlock/></D:privilege><D:privilege><D:read-acl/></D:privilege>");
  }
  return true;
}

bool supported_privilege_set(const Subject& subject, const PropertyContext&, std::string* out) {
  const auto open = [&](std::string_view privilege, std::string_view description) {
    out->append("<D:supported-privilege><D:privilege><").append(privilege).append("/></D:privilege>");
    out->append("<D:description xml:lang=\"en\">").append(description).append("</D:description>");
  };
  const auto close = [&] { out->append("</D:supported-privilege>"); };
  const auto leaf = [&](std::string_view privilege, std::string_view description) {
    open(privilege, description);
    close();
  };
  open("D:all", "Everything");
  open("D:read", "Read");
  leaf("D:read-current-user-privilege-set", "Read what one may do");
  if (subject.space == DavSpace::calendars) leaf("C:read-free-busy", "Read when one is busy");
  close();
  open("D:write", "Write");
  leaf("D:write-properties", "Change properties");
  leaf("D:write-content", "Change content");
  leaf("D:bind", "Add to a collection");
  leaf("D:unbind", "Remove from a collection");
  close();
  leaf("D:read-acl", "Read who may do what");
  leaf("D:unlock", "Remove the locks of others");
  close();
  return true;
}

/// What the owner may do; with whom a collection is shared is for its owner to ask (`pollux share list`).
bool acl(const Subject& subject, const PropertyContext& context, std::string* out) {
  if (!is_stored(subject)) return false;
  const auto entry = [&](const std::string& user, std::string_view privileges) {
    out->append("<D:ace><D:principal>");
    write_href(principal_href(user), out);
    out->append("</D:principal><D:grant>").append(privileges).append("</D:grant><D:protected/></D:ace>");
  };
  entry(owner_of(subject), "<D:privilege><D:all/></D:privilege>");
  if (subject.access == Access::read) entry(context.user, "<D:privilege><D:read/></D:privilege>");
  if (subject.access == Access::write) {
    entry(context.user, "<D:privilege><D:read/></D:privilege><D:privilege><D:write/></D:privilege>");
  }
  return true;
}
bool acl_restrictions(const Subject& subject, const PropertyContext&, std::string* out) {
  if (!is_stored(subject)) return false;
  out->append("<D:grant-only/><D:no-invert/>");
  return true;
}
bool empty_of_stored(const Subject& subject, const PropertyContext&, std::string*) {
  return is_stored(subject);
}

constexpr std::array<LiveProperty, 17> table{{
    {xmlns::dav, "current-user-principal", false, true, current_user_principal},
    {xmlns::dav, "principal-URL", false, true, principal_url},
    {xmlns::dav, "alternate-URI-set", false, true, empty_of_principal},
    {xmlns::dav, "group-member-set", false, true, empty_of_principal},
    {xmlns::dav, "group-membership", false, true, empty_of_principal},
    {xmlns::dav, "principal-collection-set", false, true, principal_collection_set},
    {xmlns::dav, "owner", false, true, owner},
    {xmlns::dav, "group", false, true, empty_of_stored},
    {xmlns::dav, "current-user-privilege-set", false, true, current_user_privilege_set},
    {xmlns::dav, "supported-privilege-set", false, true, supported_privilege_set},
    {xmlns::dav, "acl", false, true, acl},
    {xmlns::dav, "acl-restrictions", false, true, acl_restrictions},
    {xmlns::dav, "inherited-acl-set", false, true, empty_of_stored},
    {xmlns::caldav, "calendar-home-set", false, true, calendar_home_set},
    {xmlns::caldav, "calendar-user-address-set", false, true, calendar_user_address_set},
    {xmlns::carddav, "addressbook-home-set", false, true, addressbook_home_set},
    {xmlns::carddav, "principal-address", false, true,
     [](const Subject&, const PropertyContext&, std::string*) { return false; }},
}};

}  // namespace

std::span<const LiveProperty> acl_properties() { return table; }

}  // namespace pollux
