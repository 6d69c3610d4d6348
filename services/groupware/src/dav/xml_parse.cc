// The only file that knows expat.
#include <expat.h>

#include <algorithm>
#include <memory>

#include "dav/xml.h"

namespace pollux {
namespace {

/// Between namespace and name in what expat tells us. No XML 1.0 document can hold this character.
constexpr char name_separator = '\x1f';

XmlName split_name(std::string_view text) {
  const std::size_t at = text.find(name_separator);
  if (at == std::string_view::npos) return {{}, std::string(text)};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

struct Builder {
  XML_Parser parser = nullptr;
  XmlElement root;  ///< its only child is the document's root
  std::vector<XmlElement*> open{&root};
  std::size_t elements = 0;
  std::string refused;

  void refuse(std::string why) {
    if (refused.empty()) refused = std::move(why);
    XML_StopParser(parser, XML_FALSE);
  }

  void start(const XML_Char* name, const XML_Char** attributes) {
    if (open.size() > XmlLimits::depth_max) return refuse("The XML is nested too deeply.");
    if (++elements > XmlLimits::elements_max) return refuse("The XML has too many elements.");
    // Only the innermost open element ever gets children, so pointers to those outside of it stay valid.
    if (open.back()->children.empty()) open.back()->head = open.back()->text;
    XmlElement& element = open.back()->children.emplace_back();
    element.name = split_name(name);
    for (std::size_t at = 0; attributes[at] != nullptr; at += 2) {
      if (at / 2 == XmlLimits::attributes_max) return refuse("An XML element has too many attributes.");
      element.attributes.emplace_back(split_name(attributes[at]), attributes[at + 1]);
    }
    open.push_back(&element);
  }
  // Expat may call these once more after it was told to stop.
  void end() {
    if (refused.empty()) open.pop_back();
  }
  void text(std::string_view part) {
    if (!refused.empty()) return;
    XmlElement& element = *open.back();
    element.text.append(part);
    if (!element.children.empty()) element.children.back().tail.append(part);
  }
};

Builder* builder(void* data) { return static_cast<Builder*>(data); }

void on_start(void* data, const XML_Char* name, const XML_Char** attributes) {
  builder(data)->start(name, attributes);
}
void on_end(void* data, const XML_Char*) { builder(data)->end(); }
void on_text(void* data, const XML_Char* text, int size) {
  builder(data)->text({text, static_cast<std::size_t>(size)});
}
void on_doctype(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) {
  builder(data)->refuse("The XML has a DOCTYPE, and none is needed here: leave it out.");
}

struct FreeParser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

}  // namespace

const XmlElement* XmlElement::child(std::string_view space, std::string_view local) const {
  const auto found = std::ranges::find_if(children, [&](const XmlElement& c) { return c.is(space, local); });
  return found == children.end() ? nullptr : &*found;
}

Result<XmlElement> parse_xml(std::string_view body) {
  const std::unique_ptr<XML_ParserStruct, FreeParser> parser(XML_ParserCreateNS(nullptr, name_separator));
  if (!parser) return fail(Code::io_error, "There is no memory to read the XML with.");
  Builder build{.parser = parser.get()};
  XML_SetUserData(parser.get(), &build);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  XML_SetCharacterDataHandler(parser.get(), on_text);
  XML_SetStartDoctypeDeclHandler(parser.get(), on_doctype);
  const auto status = XML_Parse(parser.get(), body.data(), static_cast<int>(body.size()), XML_TRUE);
  if (!build.refused.empty()) return fail(Code::malformed, build.refused);
  if (status != XML_STATUS_OK) {
    return fail(Code::malformed, "The XML can't be read: line " +
                                     std::to_string(XML_GetCurrentLineNumber(parser.get())) + ": " +
                                     XML_ErrorString(XML_GetErrorCode(parser.get())) + ".");
  }
  return std::move(build.root.children.front());
}

}  // namespace pollux
