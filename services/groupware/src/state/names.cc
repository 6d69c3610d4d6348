// What users and resources may be called.
#include "state/names.h"

#include "pollux/groupware/requests.h"

namespace pollux {

bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  std::size_t at = 0;
  while (at < text.size()) {
    const unsigned char first = byte(at);
    std::size_t more = 0;
    unsigned char low = 0x80, high = 0xbf;  // bounds of the second byte: no surrogates, nothing overlong
    if (first < 0x80) {
      ++at;
      continue;
    }
    if (first >= 0xc2 && first <= 0xdf) {
      more = 1;
    } else if (first >= 0xe0 && first <= 0xef) {
      more = 2;
      if (first == 0xe0) low = 0xa0;
      if (first == 0xed) high = 0x9f;
    } else if (first >= 0xf0 && first <= 0xf4) {
      more = 3;
      if (first == 0xf0) low = 0x90;
      if (first == 0xf4) high = 0x8f;
    } else {
      return false;
    }
    if (text.size() - at <= more) return false;
    if (byte(at + 1) < low || byte(at + 1) > high) return false;
    for (std::size_t next = 2; next <= more; ++next) {
      if ((byte(at + next) & 0xc0) != 0x80) return false;
    }
    at += more + 1;
  }
  return true;
}

bool has_control(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
  }
  return false;
}

Result<void> check_user_name(std::string_view user) {
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  bool good = !user.empty() && user.size() <= GroupwareLimits::user_name_bytes_max && alphanumeric(user[0]);
  for (const char c : user) good = good && (alphanumeric(c) || std::string_view("._-+@").contains(c));
  if (good) return {};
  return fail(Code::invalid_argument,
              "A user name has 1 to 64 characters out of letters, digits and . _ - + @, and begins with a "
              "letter or a digit.");
}

Result<void> check_resource_name(std::string_view name) {
  if (name.empty()) return fail(Code::invalid_argument, "A name in the path is empty.");
  if (name.size() > GroupwareLimits::name_bytes_max) {
    return fail(Code::invalid_argument, "A name in the path is longer than " +
                                            std::to_string(GroupwareLimits::name_bytes_max) + " bytes.");
  }
  if (!is_utf8(name)) return fail(Code::invalid_argument, "A name in the path is not UTF-8.");
  if (has_control(name)) return fail(Code::invalid_argument, "A name in the path has a control character.");
  // A slash in a name (%2F in the URL) is harmless here, names are keys; yet no name may look like a way
  // out of its collection to a proxy or to a tool that writes files.
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t to = std::min(name.find('/', from), name.size());
    const std::string_view part = name.substr(from, to - from);
    if (part == "." || part == "..") {
      return fail(Code::invalid_argument, "The path has a \".\" or \"..\" in it.");
    }
    from = to + 1;
  }
  return {};
}

}  // namespace pollux
