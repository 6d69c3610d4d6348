#include "ics_split.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace pollux {

namespace {

struct Line {
  std::size_t number = 0;
  std::string_view raw;  ///< with its folds, without the last line end
  std::string unfolded;
};

/// Content lines (RFC 5545, 3.1): a line that begins with a space or tab goes on with the one before.
std::vector<Line> content_lines(std::string_view file) {
  std::vector<Line> out;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < file.size();) {
    std::size_t end = file.find('\n', begin);
    const std::size_t next = end == std::string_view::npos ? file.size() : end + 1;
    if (end == std::string_view::npos) end = file.size();
    if (end > begin && file[end - 1] == '\r') --end;
    const std::string_view text = file.substr(begin, end - begin);
    ++number;
    if (!out.empty() && !text.empty() && (text.front() == ' ' || text.front() == '\t')) {
      Line& line = out.back();
      line.raw = file.substr(static_cast<std::size_t>(line.raw.data() - file.data()),
                             end - static_cast<std::size_t>(line.raw.data() - file.data()));
      line.unfolded += text.substr(1);
    } else if (!text.empty()) {
      out.push_back({number, text, std::string(text)});
    }
    begin = next;
  }
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

/// NAME of "NAME;PARAM=x:value", in upper case.
std::string name_of(std::string_view line) { return upper(line.substr(0, line.find_first_of(":;"))); }

/// The value: what follows the first colon that is not within quotes.
std::string_view value_of(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == ':' && !quoted) return line.substr(i + 1);
  }
  return {};
}

std::string trimmed_upper(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return upper(text);
}

/// Values of TZID parameters of a line.
void collect_zones(std::string_view line, std::set<std::string>& zones) {
  const std::size_t colon = line.find(':');
  std::string_view rest = line.substr(0, colon == std::string_view::npos ? line.size() : colon);
  if (line.find('"') != std::string_view::npos) rest = line;  // a quoted zone may hold a colon
  for (std::size_t at; (at = upper(rest).find(";TZID=")) != std::string::npos;) {
    rest.remove_prefix(at + 6);
    const bool quoted = rest.starts_with('"');
    if (quoted) rest.remove_prefix(1);
    zones.emplace(rest.substr(0, quoted ? rest.find('"') : rest.find_first_of(";:,")));
  }
}

void append(std::string& out, const Line& line) {
  // Folded parts keep their folds; a bare LF of the file becomes CRLF, as the format demands.
  for (std::size_t i = 0; i < line.raw.size(); ++i) {
    if (line.raw[i] == '\n' && (i == 0 || line.raw[i - 1] != '\r')) out += '\r';
    out += line.raw[i];
  }
  out += "\r\n";
}

/// Text, and where each of its lines stood in the file.
struct Lines {
  std::string text;
  std::vector<std::uint32_t> numbers;

  void add(const Line& line) {
    append(text, line);
    const auto folds = static_cast<std::size_t>(std::ranges::count(line.raw, '\n'));
    for (std::size_t fold = 0; fold <= folds; ++fold)
      numbers.push_back(static_cast<std::uint32_t>(line.number + fold));
  }
  /// Lines that stood nowhere.
  void add_own(std::string_view lines) {
    text += lines;
    numbers.insert(numbers.end(), static_cast<std::size_t>(std::ranges::count(lines, '\n')), 0);
  }
  void add(const Lines& other) {
    text += other.text;
    numbers.insert(numbers.end(), other.numbers.begin(), other.numbers.end());
  }
};

struct Component {
  std::string kind, uid;
  Lines text;
  std::size_t number = 0, line = 0;
  std::set<std::string> zones;
};

/// One VCALENDAR of the file.
struct Calendar {
  Lines head;  ///< its own properties; METHOD is for mail, and not allowed in a store
  std::map<std::string, Lines> zones;
  std::vector<Component> components;
};

class Splitter {
 public:
  IcsSplit run(std::string_view file) {
    for (const Line& line : content_lines(file)) on_line(line);
    if (!open_.empty()) {
      fault(open_line_, "the file ends within " + open_.back());
      if (open_.size() >= 1) finish_calendar();
    }
    return std::move(out_);
  }

 private:
  void fault(std::size_t line, std::string text) {
    out_.faults.push_back({open_.size() >= 2 ? current_.number : 0, line, std::move(text)});
  }

  void on_line(const Line& line) {
    const std::string name = name_of(line.unfolded);
    if (name == "BEGIN") {
      begin(line, trimmed_upper(value_of(line.unfolded)));
    } else if (name == "END") {
      end(line, trimmed_upper(value_of(line.unfolded)));
    } else if (open_.empty()) {
      if (!outside_told_) fault(line.number, "a line outside of any VCALENDAR; ignored");
      outside_told_ = true;
    } else if (open_.size() == 1) {
      if (name != "METHOD") calendar_.head.add(line);
    } else {
      current_.text.add(line);
      if (open_.size() == 2 && name == "UID") current_.uid = std::string(value_of(line.unfolded));
      if (open_.size() == 2 && name == "TZID") zone_ = std::string(value_of(line.unfolded));
      collect_zones(line.unfolded, current_.zones);
    }
  }

  void begin(const Line& line, const std::string& kind) {
    if (open_.empty() && kind != "VCALENDAR") {
      fault(line.number, kind + " outside of any VCALENDAR; its lines are ignored");
      outside_told_ = true;
      return;
    }
    if (kind == "VCALENDAR" && !open_.empty()) {
      // Somebody forgot an END: what was open is lost, the new calendar is not.
      fault(line.number, "a new VCALENDAR begins within " + open_.back());
      finish_calendar();
    }
    open_.push_back(kind);
    open_line_ = line.number;
    if (open_.size() == 1) {
      calendar_ = {};
    } else if (open_.size() == 2) {
      current_ = {};
      current_.kind = kind;
      current_.line = line.number;
      zone_.clear();
      if (kind != "VTIMEZONE") current_.number = ++out_.components;
    }
    if (open_.size() >= 2) current_.text.add(line);
  }

  void end(const Line& line, const std::string& kind) {
    if (open_.empty()) {
      if (!outside_told_) fault(line.number, "END:" + kind + " without its BEGIN; ignored");
      outside_told_ = true;
      return;
    }
    if (kind != open_.back()) {
      fault(line.number, "END:" + kind + " where END:" + open_.back() + " was due");
      const auto matching = std::ranges::find(open_, kind);
      if (matching == open_.end()) return;
      const bool damaged = matching - open_.begin() <= 1;  // the component on level 2 is not whole
      open_.erase(matching + 1, open_.end());
      if (damaged) current_ = {};
    }
    if (open_.size() >= 2) current_.text.add(line);
    open_.pop_back();
    if (open_.size() == 1 && !current_.text.text.empty()) finish_component();
    if (open_.empty()) finish_calendar();
  }

  void finish_component() {
    if (current_.kind == "VTIMEZONE") {
      calendar_.zones[zone_].add(current_.text);
    } else if (current_.uid.empty()) {
      out_.faults.push_back({current_.number, current_.line, current_.kind + " has no UID"});
    } else {
      calendar_.components.push_back(std::move(current_));
    }
    current_ = {};
  }

  void finish_calendar() {
    std::map<std::string, std::size_t> index;  // of objects of this calendar
    std::vector<std::vector<const Component*>> groups;
    for (const Component& component : calendar_.components) {
      const auto [place, fresh] = index.emplace(component.uid, groups.size());
      if (fresh) groups.emplace_back();
      groups[place->second].push_back(&component);
    }
    for (const auto& group : groups) {
      Lines content;
      content.add_own("BEGIN:VCALENDAR\r\n");
      add_head(content);
      std::set<std::string> zones;
      for (const Component* component : group) zones.insert(component->zones.begin(), component->zones.end());
      for (const std::string& zone : zones) {
        if (const auto found = calendar_.zones.find(zone); found != calendar_.zones.end())
          content.add(found->second);
      }
      IcsObject object{group.front()->uid, {}, {}, group.front()->line, {}};
      for (const Component* component : group) {
        content.add(component->text);
        object.numbers.push_back(component->number);
      }
      content.add_own("END:VCALENDAR\r\n");
      object.content = std::move(content.text);
      object.lines = std::move(content.numbers);
      out_.objects.push_back(std::move(object));
    }
    calendar_ = {};
    current_ = {};
    open_.clear();
  }

  /// VERSION and PRODID are required; files without them are common.
  void add_head(Lines& content) const {
    const std::string all = "\r\n" + upper(calendar_.head.text);
    if (all.find("\r\nVERSION") == std::string::npos) content.add_own("VERSION:2.0\r\n");
    content.add(calendar_.head);
    if (all.find("\r\nPRODID") == std::string::npos) content.add_own("PRODID:-//Pollux//import//EN\r\n");
  }

  IcsSplit out_;
  std::vector<std::string> open_;
  std::size_t open_line_ = 0;
  bool outside_told_ = false;
  Calendar calendar_;
  Component current_;
  std::string zone_;
};

}  // namespace

IcsSplit split_calendar(std::string_view file) {
  if (file.starts_with("\xef\xbb\xbf")) file.remove_prefix(3);  // a byte order mark
  return Splitter().run(file);
}

std::string with_file_lines(std::string_view sentence, const std::vector<std::uint32_t>& lines) {
  constexpr std::string_view word = "line ";
  std::string out;
  for (std::size_t at; (at = sentence.find(word)) != std::string_view::npos;) {
    out += sentence.substr(0, at + word.size());
    sentence.remove_prefix(at + word.size());
    std::size_t number = 0;
    const auto end = std::from_chars(sentence.data(), sentence.data() + sentence.size(), number).ptr;
    if (number == 0 || number > lines.size() || lines[number - 1] == 0) continue;
    out += std::to_string(lines[number - 1]);
    sentence.remove_prefix(static_cast<std::size_t>(end - sentence.data()));
  }
  return out += sentence;
}

IcsParts take_apart(std::string_view object) {
  IcsParts parts;
  std::size_t depth = 0;
  std::string zone, zone_id;
  bool in_zone = false;
  for (const Line& line : content_lines(object)) {
    const std::string name = name_of(line.unfolded);
    if (name == "END" && depth > 0) --depth;
    if (depth == 1 && name == "BEGIN") in_zone = trimmed_upper(value_of(line.unfolded)) == "VTIMEZONE";
    const bool component = depth >= 2 || (depth == 1 && (name == "BEGIN" || name == "END"));
    if (component && in_zone) {
      append(zone, line);
      if (depth == 2 && name == "TZID") zone_id = std::string(value_of(line.unfolded));
      if (depth == 1 && name == "END")
        parts.zones.emplace_back(std::exchange(zone_id, {}), std::exchange(zone, {}));
    } else if (component) {
      append(parts.components, line);
    } else if (depth == 1 && name != "VERSION" && name != "PRODID" && name != "CALSCALE") {
      append(parts.head, line);
    }
    if (name == "BEGIN") ++depth;
  }
  return parts;
}

}  // namespace pollux
