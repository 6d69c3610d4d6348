#include "dav/xml.h"

namespace pollux {
namespace {

std::string_view known_prefix(std::string_view space) {
  if (space == xmlns::dav) return "D:";
  if (space == xmlns::caldav) return "C:";
  if (space == xmlns::carddav) return "CARD:";
  if (space == xmlns::calendarserver) return "CS:";
  if (space == xmlns::apple_ical) return "A:";
  return {};
}

/// Whole calendars go through this, so it is a switch and no search in a list of characters.
bool is_special(char c) {
  switch (c) {
    case '&':
    case '<':
    case '>':
    case '"':
    case '\r':
      return true;
    default:
      return false;
  }
}

/// Appends "<prefix:name" with its declaration, and returns "prefix:name". An empty namespace needs neither:
/// no answer of ours has a default namespace.
std::string append_start(std::string* out, const XmlName& name) {
  std::string tag(known_prefix(name.space));
  const bool declare = tag.empty() && !name.space.empty();
  if (declare) tag = "x:";
  tag += name.name;
  out->append("<").append(tag);
  if (declare) {
    out->append(" xmlns:x=\"");
    append_escaped(out, name.space);
    out->append("\"");
  }
  return tag;
}

}  // namespace

void append_escaped(std::string* out, std::string_view text) {
  for (;;) {
    std::size_t at = 0;
    while (at < text.size() && !is_special(text[at])) ++at;
    out->append(text.substr(0, at));
    if (at == text.size()) return;
    switch (text[at]) {
      case '&':
        out->append("&amp;");
        break;
      case '<':
        out->append("&lt;");
        break;
      case '>':
        out->append("&gt;");
        break;
      case '"':
        out->append("&quot;");
        break;
      default:
        out->append("&#13;");
        break;  // a bare CR would come back as LF (XML 1.0, 2.11)
    }
    text.remove_prefix(at + 1);
  }
}

void append_empty(std::string* out, const XmlName& name) {
  append_start(out, name);
  out->append("/>");
}

std::string append_open(std::string* out, const XmlName& name) {
  const std::string tag = append_start(out, name);
  out->append(">");
  return "</" + tag + ">";
}

void append_element(std::string* out, const XmlElement& element) {
  const std::string tag = (element.name.space.empty() ? "" : "x:") + element.name.name;
  out->append("<").append(tag);
  if (!element.name.space.empty()) {  // an empty namespace can't be declared for a prefix, and needs none
    out->append(" xmlns:x=\"");
    append_escaped(out, element.name.space);
    out->append("\"");
  }
  std::size_t number = 0;
  for (const auto& [name, value] : element.attributes) {
    out->append(" ");
    if (name.space == xmlns::xml) {
      out->append("xml:");
    } else if (!name.space.empty()) {
      const std::string prefix = "a" + std::to_string(number++);
      out->append("xmlns:").append(prefix).append("=\"");
      append_escaped(out, name.space);
      out->append("\" ").append(prefix).append(":");
    }
    out->append(name.name).append("=\"");
    append_escaped(out, value);
    out->append("\"");
  }
  out->append(">");
  append_escaped(out, element.children.empty() ? element.text : element.head);
  for (const auto& child : element.children) {
    append_element(out, child);
    append_escaped(out, child.tail);
  }
  out->append("</").append(tag).append(">");
}

}  // namespace pollux
