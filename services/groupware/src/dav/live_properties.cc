#include "dav/live_properties.h"

namespace pollux {

bool write_text(std::string_view text, std::string* out) {
  if (text.empty()) return false;
  append_escaped(out, text);
  return true;
}

bool write_href(std::string_view href, std::string* out) {
  out->append("<D:href>");
  append_escaped(out, href);
  out->append("</D:href>");
  return true;
}

std::span<const LiveProperty> live_properties() {
  static const std::vector<LiveProperty> table = [] {
    std::vector<LiveProperty> all;
    for (const auto part : {basic_properties(), lock_properties(), acl_properties(), calendar_properties()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

}  // namespace pollux
