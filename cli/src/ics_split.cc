#include "ics_split.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>

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

/// Lines as they stood in the file, and where.
struct Lines {
  std::string text;
  std::vector<std::size_t> numbers;

  void append(const Line& line) {
    // Folded parts keep their folds; a bare LF of the file becomes CRLF, as the format demands.
    std::size_t number = line.number;
    numbers.push_back(number);
    for (std::size_t i = 0; i < line.raw.size(); ++i) {
      if (line.raw[i] == '\n' && (i == 0 || line.raw[i - 1] != '\r')) text += '\r';
      text += line.raw[i];
      if (line.raw[i] == '\n') numbers.push_back(++number);
    }
    text += "\r\n";
  }
  void append(const Lines& more) {
    text += more.text;
    numbers.insert(numbers.end(), more.numbers.begin(), more.numbers.end());
  }
  /// A line that the file lacks, or that every part of it gets: it stands for that of the file with `number`.
  void append(std::string_view line, std::size_t number) {
    text += line;
    text += "\r\n";
    numbers.push_back(number);
  }
};

struct Component {
  std::string kind, uid;
  Lines lines;
  std::size_t number = 0, line = 0;
  std::set<std::string> zones;
};

/// One VCALENDAR of the file.
struct Calendar {
  std::size_t line = 0, last_line = 0;
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
    calendar_.last_line = line.number;
    const std::string name = name_of(line.unfolded);
    if (name == "BEGIN") {
      begin(line, trimmed_upper(value_of(line.unfolded)));
    } else if (name == "END") {
      end(line, trimmed_upper(value_of(line.unfolded)));
    } else if (open_.empty()) {
      if (!outside_told_) fault(line.number, "a line outside of any VCALENDAR; ignored");
      outside_told_ = true;
    } else if (open_.size() == 1) {
      if (name != "METHOD") calendar_.head.append(line);
    } else {
      current_.lines.append(line);
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
      calendar_.line = calendar_.last_line = line.number;
    } else if (open_.size() == 2) {
      current_ = {};
      current_.kind = kind;
      current_.line = line.number;
      zone_.clear();
      if (kind != "VTIMEZONE") current_.number = ++out_.components;
    }
    if (open_.size() >= 2) current_.lines.append(line);
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
    if (open_.size() >= 2) current_.lines.append(line);
    open_.pop_back();
    if (open_.size() == 1 && !current_.lines.text.empty()) finish_component();
    if (open_.empty()) finish_calendar();
  }

  void finish_component() {
    if (current_.kind == "VTIMEZONE") {
      calendar_.zones[zone_].append(current_.lines);
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
      IcsObject object{.uid = group.front()->uid, .content = {}, .numbers = {}, .lines = {}};
      Lines lines;
      lines.append("BEGIN:VCALENDAR", calendar_.line);
      lines.append(head());
      std::set<std::string> zones;
      for (const Component* component : group) zones.insert(component->zones.begin(), component->zones.end());
      for (const std::string& zone : zones) {
        if (const auto found = calendar_.zones.find(zone); found != calendar_.zones.end())
          lines.append(found->second);
      }
      for (const Component* component : group) {
        lines.append(component->lines);
        object.numbers.push_back(component->number);
      }
      lines.append("END:VCALENDAR", calendar_.last_line);
      object.content = std::move(lines.text);
      object.lines = std::move(lines.numbers);
      out_.objects.push_back(std::move(object));
    }
    calendar_ = {};
    current_ = {};
    open_.clear();
  }

  /// VERSION and PRODID are required; files without them are common.
  [[nodiscard]] Lines head() const {
    const std::string all = "\r\n" + upper(calendar_.head.text);
    Lines out;
    if (all.find("\r\nVERSION") == std::string::npos) out.append("VERSION:2.0", calendar_.line);
    out.append(calendar_.head);
    if (all.find("\r\nPRODID") == std::string::npos) out.append("PRODID:-//Pollux//import//EN", calendar_.line);
    return out;
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

std::string with_lines_of_file(const IcsObject& object, std::string_view text) {
  constexpr std::string_view word = "line ";
  std::string out;
  while (!text.empty()) {
    const std::size_t at = text.find(word);
    const std::size_t end = at == std::string_view::npos ? text.size() : at + word.size();
    out += text.substr(0, end);
    text.remove_prefix(end);
    std::size_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number == 0 || number > object.lines.size()) continue;
    out += std::to_string(object.lines[number - 1]);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  }
  return out;
}

}  // namespace pollux
