#include "calendar/collation.h"

#include <clocale>
#include <cwctype>

#include "calendar/content_lines.h"

namespace pollux {
namespace {

/// A locale that knows all of Unicode. glibc has this one built in.
locale_t unicode_locale() {
  static const locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

void append_utf8(std::string* out, char32_t c) {
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out->push_back(static_cast<char>(0xC0 | (c >> 6)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | (c >> 12)));
    out->push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | (c >> 18)));
    out->push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

/// One character and how many octets it has; what is no UTF-8 is taken octet by octet.
std::pair<char32_t, std::size_t> take_character(std::string_view text) {
  const auto octet = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = octet(0);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (size == 0 || size > text.size()) return {0, 1};
  char32_t c = size == 1 ? lead : lead & (0xFF >> (size + 1));
  for (std::size_t at = 1; at < size; ++at) {
    if ((octet(at) & 0xC0) != 0x80) return {0, 1};
    c = (c << 6) | (octet(at) & 0x3F);
  }
  return {c, size};
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::optional<Collation> find_collation(std::string_view name, Collation preset) {
  if (name == "default") return preset;
  if (name == "i;ascii-casemap") return Collation::ascii_casemap;
  if (name == "i;octet") return Collation::octet;
  if (name == "i;unicode-casemap") return Collation::unicode_casemap;
  return std::nullopt;
}

std::string fold_text(std::string_view text, Collation collation) {
  std::string out;
  out.reserve(text.size());
  if (collation == Collation::octet) return std::string(text);
  while (!text.empty()) {
    if (collation == Collation::ascii_casemap || static_cast<unsigned char>(text.front()) < 0x80) {
      out.push_back(lower(text.front()));
      text.remove_prefix(1);
      continue;
    }
    const auto [c, size] = take_character(text);
    if (c == 0) {
      out.append(text.substr(0, size));
    } else {
      // First up, then down: two small letters with one capital (sigma) become one.
      const std::wint_t up = ::towupper_l(static_cast<std::wint_t>(c), unicode_locale());
      append_utf8(&out, static_cast<char32_t>(::towlower_l(up, unicode_locale())));
    }
    text.remove_prefix(size);
  }
  return out;
}

TextMatch::TextMatch(std::string_view text, Collation collation, MatchType type, bool negate)
    : collation_(collation), type_(type), negate_(negate), needle_(fold_text(text, collation)) {}

bool TextMatch::fits(std::string_view value) const {
  const std::string folded = fold_text(value, collation_);
  switch (type_) {
    case MatchType::contains:
      return folded.contains(needle_);
    case MatchType::equals:
      return folded == needle_;
    case MatchType::starts_with:
      return folded.starts_with(needle_);
    case MatchType::ends_with:
      return folded.ends_with(needle_);
  }
  return false;
}

}  // namespace pollux
