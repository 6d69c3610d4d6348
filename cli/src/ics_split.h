// A calendar file taken apart: one calendar object for each UID, with the time zones it needs, as CalDAV
// wants them (RFC 4791, 4.1). Works on the file's own lines: what is stored is what stood in the file, line
// by line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pollux {

struct IcsObject {
  std::string uid;
  std::string content;  ///< a whole VCALENDAR, CRLF line ends
  std::vector<std::size_t>
      numbers;           ///< of its components in the file, counted from 1 (an event and its overrides)
  std::size_t line = 0;  ///< where its first component begins in the file, from 1
  std::vector<std::uint32_t> lines;  ///< where each line of `content` stood in the file, from 1; 0: nowhere
};
struct IcsFault {
  std::size_t number = 0;  ///< of the component in the file, counted from 1; 0: not within one
  std::size_t line = 0;
  std::string text;
};
struct IcsSplit {
  std::vector<IcsObject> objects;  ///< in the order of the file
  std::vector<IcsFault> faults;
  std::size_t components = 0;  ///< events, tasks, journals and others; time zones do not count
};

/// Never fails: what can't be read is a fault, and the rest goes on.
IcsSplit split_calendar(std::string_view file);

/// A sentence about an object, with its "line 3" as the line of the file.
std::string with_file_lines(std::string_view sentence, const std::vector<std::uint32_t>& lines);

/// A stored calendar object taken apart, to be put together with others. CRLF line ends throughout.
struct IcsParts {
  std::string head;  ///< properties of the VCALENDAR itself, but for VERSION, PRODID and CALSCALE
  std::vector<std::pair<std::string, std::string>> zones;  ///< TZID and the whole VTIMEZONE
  std::string components;                                  ///< everything else, byte for byte
};
IcsParts take_apart(std::string_view object);

}  // namespace pollux
