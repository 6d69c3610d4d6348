// XML that clients send, and XML for them.
//
// What comes in is refused if it has a DOCTYPE (no entities: no billion laughs, no files), or is deeper or
// larger than the limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/core/result.h"

namespace pollux {

struct XmlLimits {
  static constexpr std::size_t depth_max = 32;
  static constexpr std::size_t elements_max = 20000;
  static constexpr std::size_t attributes_max = 64;  ///< of one element
};

namespace xmlns {
inline constexpr std::string_view dav = "DAV:";
inline constexpr std::string_view caldav = "urn:ietf:params:xml:ns:caldav";
inline constexpr std::string_view carddav = "urn:ietf:params:xml:ns:carddav";
inline constexpr std::string_view xml = "http://www.w3.org/XML/1998/namespace";
inline constexpr std::string_view calendarserver = "http://calendarserver.org/ns/";
inline constexpr std::string_view apple_ical = "http://apple.com/ns/ical/";
}  // namespace xmlns

struct XmlName {
  std::string space, name;
  bool operator==(const XmlName&) const = default;
};

struct XmlElement {
  XmlName name;
  std::vector<std::pair<XmlName, std::string>> attributes;
  std::string text;  ///< all text directly in it, joined
  std::vector<XmlElement> children;
  std::string head;  ///< with children: the text before the first of them
  std::string tail;  ///< the text that follows this element in its parent

  [[nodiscard]] bool is(std::string_view space, std::string_view local) const {
    return name.space == space && name.name == local;
  }
  [[nodiscard]] const XmlElement* child(std::string_view space, std::string_view local) const;
};

/// The root element; `malformed` with a sentence.
Result<XmlElement> parse_xml(std::string_view body);

/// Appends text, with & < > " escaped.
void append_escaped(std::string* out, std::string_view text);
/// Appends an element with its namespaces declared on it: it can stand anywhere.
void append_element(std::string* out, const XmlElement& element);
/// Appends <x:name/> for any name; known namespaces have the prefixes of `xml_declarations`.
void append_empty(std::string* out, const XmlName& name);
/// Opens an element of any name and returns how to close it.
std::string append_open(std::string* out, const XmlName& name);

/// The declarations that every answer of ours has on its root: D, C, CARD, CS, A.
inline constexpr std::string_view xml_declarations =
    " xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\" "
    "xmlns:CARD=\"urn:ietf:params:xml:ns:carddav\""
    " xmlns:CS=\"http://calendarserver.org/ns/\" xmlns:A=\"http://apple.com/ns/ical/\"";
inline constexpr std::string_view xml_prolog = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";

}  // namespace pollux
