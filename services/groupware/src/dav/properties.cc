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
  if (subject.collection == nullptr) return {};
  return subject.collection->properties.dead;
}

void append_live(std::string* out, const LiveProperty& live, std::string_view value) {
  const XmlName name{std::string(live.space), std::string(live.name)};
  if (value.empty()) return append_empty(out, name);
  const std::string close = append_open(out, name);
  out->append(value).append(close);
}

/// True if the subject has it, and then it is appended.
bool append_property(std::string* out, const XmlName& name, const Subject& subject,
                     const PropertyContext& context) {
  if (const auto* live = find_live(name)) {
    std::string value;
    if (!live->write(subject, context, &value)) return false;
    append_live(out, *live, value);
    return true;
  }
  for (const auto& dead : dead_properties(subject)) {
    if (dead.space != name.space || dead.name != name.name) continue;
    out->append(dead.xml);
    return true;
  }
  return false;
}

void append_propstat(std::string* out, std::string_view properties, std::string_view status) {
  out->append("<D:propstat><D:prop>").append(properties).append("</D:prop><D:status>HTTP/1.1 ");
  out->append(status).append("</D:status></D:propstat>");
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

Subject subject_of(const Resource& resource, std::string href) {
  if (const auto* item = std::get_if<ItemInfo>(&resource)) {
    return {.kind = SubjectKind::item, .href = std::move(href), .item = item};
  }
  const auto& collection = std::get<CollectionInfo>(resource);
  return {.kind = collection.kind == CollectionKind::home ? SubjectKind::home : SubjectKind::calendar,
          .href = std::move(href),
          .collection = &collection};
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
  for (const auto& wanted : some->children) question.names.push_back(wanted.name);
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
  for (const auto& name : question.names) {
    if (!append_property(&found, name, subject, context)) append_empty(&missing, name);
  }
  if (!found.empty() || missing.empty()) append_propstat(out, found, "200 OK");
  if (!missing.empty()) append_propstat(out, missing, "404 Not Found");
  out->append("</D:response>\n");
}

bool is_protected_property(const XmlName& name) {
  const auto* live = find_live(name);
  return live != nullptr && live->is_protected;
}

}  // namespace pollux
