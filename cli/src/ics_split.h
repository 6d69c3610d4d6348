// A calendar file taken apart: one calendar object for each UID, with the time zones it needs, as CalDAV
// wants them (RFC 4791, 4.1). Works on the file's own lines: what is stored is what stood in the file, line
// by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pollux {

struct IcsObject {
  std::string uid;
  std::string content;  ///< a whole VCALENDAR, CRLF line ends
  std::vector<std::size_t>
      numbers;  ///< of its components in the file, counted from 1 (an event and its overrides)
  std::vector<std::size_t> lines;  ///< where each line of `content` stood in the file, counted from 1
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

/// A text about `object.content` that names lines of it ("line 7: ..."), with the lines of the file instead.
std::string with_lines_of_file(const IcsObject& object, std::string_view text);

}  // namespace pollux
