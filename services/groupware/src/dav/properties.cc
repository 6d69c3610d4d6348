#include "dav/properties.h"

#include <algorithm>

#include "dav/live_properties.h"

namespace pollux {
namespace {

const LiveProperty* find_live(const XmlName& name) {
  const auto table = live_properties();
  const auto found = std::ranges::find_if(
      table, [&](const LiveProperty& live) { return live.name == name.name && live.space == name.space; });
  return found == table.end() ? nullptr : &*found;
}

std::span<const DeadProperty> dead_properties(const Subject& subject) {
  if (subject.item != nullptr) return subject.item->dead;
  if (subject.collection == nullptr) return {};
  return subject.collection->properties.dead;
}

void append_live(std::string* out, const LiveProperty& live, std::string_view value) {
  const XmlName name{std::string(live.space), std::string(live.name)};
  if (value.empty()) return append_empty(out, name);
  const std::string close = append_open(out, name);
  out->append(value).append(close);
}

/// A preference (RFC 7240), or the same in the words of an older header.
bool prefers(const HttpRequest& request, std::string_view wanted) {
  const auto list = request.header_list("Prefer");
  std::string_view rest = list ? std::string_view(*list) : std::string_view();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(",;"), rest.size());
    std::string preference;
    for (const char c : rest.substr(0, end)) {
      if (c != ' ' && c != '\t' && c != '"') preference.push_back(c);
    }
    if (equal_header(preference, wanted)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

/// Every property the subject has: with values those of allprop, or all their names.
std::string every_property(const Subject& subject, bool names_only, const PropertyContext& context) {
  std::string out, value;
  for (const auto& live : live_properties()) {
    if (!names_only && !live.in_allprop) continue;
    value.clear();
    if (live.write(subject, context, &value))
      append_live(&out, live, names_only ? std::string_view() : value);
  }
  for (const auto& dead : dead_properties(subject)) {
    if (names_only) {
      append_empty(&out, {dead.space, dead.name});
    } else {
      out.append(dead.xml);
    }
  }
  return out;
}

}  // namespace

bool append_property(std::string* out, const XmlName& name, const Subject& subject,
                     const PropertyContext& context) {
  if (const auto* live = find_live(name)) {
    std::string value;
    if (live->write(subject, context, &value)) {
      append_live(out, *live, value);
      return true;
    }  // otherwise it is kept like a dead one, if a client may set it here
  }
  for (const auto& dead : dead_properties(subject)) {
    if (dead.space != name.space || dead.name != name.name) continue;
    out->append(dead.xml);
    return true;
  }
  return false;
}

bool PropfindQuestion::wants_dead() const {
  return mode != Mode::some || std::ranges::any_of(names, [](const XmlName& name) {
           const LiveProperty* live = find_live(name);
           return live == nullptr || !live->is_protected;
         });
}

bool PropfindQuestion::wants_locks() const {
  return mode == Mode::all || std::ranges::any_of(names, [](const XmlName& name) {
           return name.space == xmlns::dav && name.name == "lockdiscovery";
         });
}

Subject subject_of(const Resource& resource, std::string href, DavSpace space, std::string owner,
                   Access access) {
  Subject subject{.kind = SubjectKind::item,
                  .href = std::move(href),
                  .collection = std::get_if<CollectionInfo>(&resource),
                  .item = std::get_if<ItemInfo>(&resource),
                  .principal = nullptr,
                  .space = space,
                  .owner = std::move(owner),
                  .access = access,
                  .content = {}};
  if (subject.collection == nullptr) return subject;
  subject.access = subject.collection->access;
  switch (subject.collection->kind) {
    case CollectionKind::home:
      subject.kind = SubjectKind::home;
      break;
    case CollectionKind::calendar:
      subject.kind = SubjectKind::calendar;
      break;
    case CollectionKind::addressbook:
      subject.kind = SubjectKind::addressbook;
      break;
    case CollectionKind::plain:
      subject.kind = SubjectKind::plain;
      break;
  }
  return subject;
}

void append_propstat(std::string* out, std::string_view properties, std::string_view status) {
  out->append("<D:propstat><D:prop>").append(properties).append("</D:prop><D:status>HTTP/1.1 ");
  out->append(status).append("</D:status></D:propstat>");
}

std::string multistatus_begin() {
  std::string body(xml_prolog);
  return body.append("<D:multistatus").append(xml_declarations).append(">\n");
}

HttpResponse multistatus_response(std::string body) {
  body.append("</D:multistatus>\n");
  return {.status = 207,
          .headers = "Content-Type: application/xml; charset=utf-8\r\n",
          .body = std::move(body),
          .length = {},
          .close = false};
}

std::vector<XmlName> names_in(const XmlElement& prop) {
  std::vector<XmlName> names;
  names.reserve(prop.children.size());
  for (const auto& wanted : prop.children) names.push_back(wanted.name);
  return names;
}

Result<PropfindQuestion> parse_propfind(std::string_view body) {
  PropfindQuestion question;
  if (body.empty()) return question;
  const auto root = parse_xml(body);
  if (!root) return std::unexpected(root.error());
  if (!root->is(xmlns::dav, "propfind"))
    return fail(Code::malformed, "The body of PROPFIND is DAV:propfind.");
  const XmlElement* some = root->child(xmlns::dav, "prop");
  const bool names = root->child(xmlns::dav, "propname") != nullptr;
  const bool all = root->child(xmlns::dav, "allprop") != nullptr;
  if ((some != nullptr ? 1 : 0) + (names ? 1 : 0) + (all ? 1 : 0) != 1) {
    return fail(Code::malformed, "DAV:propfind holds one of DAV:prop, DAV:allprop and DAV:propname.");
  }
  if (names) question.mode = PropfindQuestion::Mode::names;
  if (some != nullptr) question.mode = PropfindQuestion::Mode::some;
  if (all) some = root->child(xmlns::dav, "include");
  if (some == nullptr) return question;
  question.names = names_in(*some);
  return question;
}

void append_response(std::string* out, const Subject& subject, const PropfindQuestion& question,
                     const PropertyContext& context) {
  out->append("<D:response><D:href>");
  append_escaped(out, subject.href);
  out->append("</D:href>");
  std::string found, missing;
  if (question.mode != PropfindQuestion::Mode::some) {
    found = every_property(subject, question.mode == PropfindQuestion::Mode::names, context);
  }
  found.append(subject.content);
  for (const auto& name : question.names) {
    if (!append_property(&found, name, subject, context)) append_empty(&missing, name);
  }
  if (!found.empty() || missing.empty() || question.minimal) append_propstat(out, found, "200 OK");
  if (!missing.empty() && !question.minimal) append_propstat(out, missing, "404 Not Found");
  out->append("</D:response>\n");
}

bool prefers_minimal(const HttpRequest& request) {
  const auto brief = request.header("Brief");
  return prefers(request, "return=minimal") || (brief && equal_header(*brief, "t"));
}
bool prefers_representation(const HttpRequest& request) { return prefers(request, "return=representation"); }
bool prefers_no_root(const HttpRequest& request) { return prefers(request, "depth-noroot"); }

bool is_protected_property(const XmlName& name) {
  const auto* live = find_live(name);
  return live != nullptr && live->is_protected;
}

}  // namespace pollux
