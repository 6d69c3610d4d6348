#include "dav/preconditions.h"

#include "dav/if_header.h"

namespace pollux {
namespace {

/// etagc of RFC 9110, 8.8.3.
bool is_tag_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x21 || (byte >= 0x23 && byte != 0x7f);
}

}  // namespace

Result<TagList> parse_tag_list(std::string_view text) {
  const auto bad = [] {
    return fail(Code::malformed,
                "If-Match and If-None-Match take * or ETags in double quotes, with commas between.");
  };
  text = trim_blanks(text);
  if (text == "*") return TagList{true, {}};
  TagList list;
  while (!text.empty()) {
    if (text.front() == ',') {  // empty list elements are allowed (RFC 9110, 5.6.1.2)
      text = trim_blanks(text.substr(1));
      continue;
    }
    EntityTag tag;
    if (text.starts_with("W/")) {
      tag.weak = true;
      text.remove_prefix(2);
    }
    if (!text.starts_with('"')) return bad();
    std::size_t end = 1;
    while (end < text.size() && is_tag_character(text[end])) ++end;
    if (end == text.size() || text[end] != '"') return bad();
    tag.value = text.substr(0, end + 1);
    list.tags.push_back(std::move(tag));
    if (list.tags.size() > TagLimits::tags_max) {
      return fail(Code::malformed, "There are too many ETags in one header.");
    }
    text = trim_blanks(text.substr(end + 1));
    if (!text.empty() && text.front() != ',') return bad();
  }
  if (list.tags.empty()) return bad();
  return list;
}

Result<Preconditions> read_preconditions(const HttpRequest& request) {
  Preconditions when;
  for (const auto& [name, list] : {std::pair{"If-Match", &when.match}, {"If-None-Match", &when.none_match}}) {
    const auto text = request.header_list(name);
    if (!text) continue;
    auto parsed = parse_tag_list(*text);
    if (!parsed) return std::unexpected(parsed.error());
    *list = std::move(*parsed);
  }
  // One that is no date does not count (RFC 9110, 13.1.4).
  if (const auto since = request.header("If-Unmodified-Since"))
    when.unmodified_since_s = parse_http_date(*since);
  if (const auto lists = request.header_list("If")) {
    auto parsed = parse_if_header(*lists, request.header("Host").value_or(""));
    if (!parsed) return std::unexpected(parsed.error());
    when.lists = std::move(*parsed);
  }
  return when;
}

}  // namespace pollux
