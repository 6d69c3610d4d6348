// Sentences for people, put together from parts (g++ 12 has no std::format).
#pragma once

#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>

#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

inline void append_part(std::string& text, std::string_view part) { text.append(part); }
inline void append_part(std::string& text, char part) { text.push_back(part); }
template <std::same_as<std::filesystem::path> Path>
void append_part(std::string& text, const Path& part) {
  text.append(part.native());
}
template <std::integral Number>
void append_part(std::string& text, Number part) {
  text.append(std::to_string(part));
}
template <class Tag>
void append_part(std::string& text, const Counter<Tag>& part) {
  text.append(std::to_string(part.value));
}

/// The parts, one after the other: texts, paths, whole numbers, LSNs and epochs.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string text;
  (append_part(text, parts), ...);
  return text;
}

/// "WHAT: Permission denied": the text of errno's value `number`.
std::string errno_text(std::string_view what, int number);
/// The code that fits errno's value: disk_full, forbidden, in_use, not_found, or io_error.
Code code_of_errno(int number);
/// Both, as a Result's error.
std::unexpected<Error> fail_errno(std::string_view what, int number);

/// "2026-01-31T12:00:00.000000Z".
std::string iso_time(WallTime time);

}  // namespace pollux
