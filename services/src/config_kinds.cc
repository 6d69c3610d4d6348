#include "config_kinds.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "pollux/core/check.h"

namespace pollux {

namespace {

constexpr int cpu_max = 1023;  // glibc's cpu_set_t

std::string_view kind_of(const ConfigNode& node) {
  constexpr std::string_view names[] = {"true or false",  "a whole number", "a decimal number", "text",
                                        "a date or time", "a list",         "a table"};
  return names[node.value.index()];
}

std::string wrong_type(const ConfigNode& node, std::string_view wanted) {
  return "must be " + std::string(wanted) + ", not " + std::string(kind_of(node));
}

std::string range_text(KeyRange range) {
  return std::to_string(range.min) + " to " + std::to_string(range.max);
}

bool in_range(std::int64_t value, KeyRange range) {
  return value >= 0 && static_cast<std::uint64_t>(value) >= range.min &&
         static_cast<std::uint64_t>(value) <= range.max;
}

std::string check_range(std::int64_t value, KeyRange range) {
  if (in_range(value, range)) return {};
  return std::to_string(value) + " is out of range; allowed: " + range_text(range);
}

void store(const ConfigSlot& into, std::uint64_t value) {
  if (auto* const* wide = std::get_if<std::uint64_t*>(&into)) {
    **wide = value;
  } else {
    POLLUX_CHECK(value <= std::numeric_limits<std::uint32_t>::max());  // the rule's range sees to it
    *std::get<std::uint32_t*>(into) = static_cast<std::uint32_t>(value);
  }
}

std::uint64_t load(const ConfigSlot& from) {
  if (auto* const* wide = std::get_if<std::uint64_t*>(&from)) return **wide;
  return *std::get<std::uint32_t*>(from);
}

std::string in_quotes(const std::string& value) { return value.empty() ? value : '"' + value + '"'; }

/// "64 MiB", "64MiB", "4096": the number of bytes, or -1.
std::int64_t parse_size(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{}) return -1;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const int shift = unit.empty() || unit == "B" ? 0
                    : unit == "KiB"             ? 10
                    : unit == "MiB"             ? 20
                    : unit == "GiB"             ? 30
                    : unit == "TiB"             ? 40
                                                : -1;
  if (shift < 0 || count > (static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) >> shift))
    return -1;
  return static_cast<std::int64_t>(count << shift);
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::string_view units[] = {"", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  while (unit < 4 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + std::string(units[unit]);
}

KeyKind checked_text(std::string type, std::string allowed,
                     std::function<std::string(const std::string&)> check) {
  return {std::move(type), std::move(allowed),
          [check](const ConfigNode& node, const ConfigSlot& into) -> std::string {
            const std::string* value = node.text();
            if (!value) return wrong_type(node, "text in quotes");
            if (value->empty()) return "must not be empty";
            if (value->find('\0') != std::string::npos) return "must not contain a NUL";
            if (std::string wrong = check(*value); !wrong.empty()) return wrong;
            *std::get<std::string*>(into) = *value;
            return {};
          },
          [](const ConfigSlot& from) { return in_quotes(*std::get<std::string*>(from)); }};
}

std::string name_allowed() {
  return "1 to " + std::to_string(name_length_max) +
         " characters a-z, 0-9, - or _, the first a letter or digit";
}

std::string check_name(const std::string& value) {
  return is_name(value) ? "" : "\"" + value + "\" is no name; allowed: " + name_allowed();
}

template <class Enum>
KeyKind choice(std::vector<std::pair<std::string, Enum>> choices) {
  std::string allowed;
  for (const auto& [word, value] : choices) allowed += (allowed.empty() ? "\"" : " or \"") + word + "\"";
  return {"one of", allowed,
          [=](const ConfigNode& node, const ConfigSlot& into) -> std::string {
            const std::string* word = node.text();
            if (!word) return wrong_type(node, "text, " + allowed);
            for (const auto& [known, value] : choices) {
              if (known != *word) continue;
              *std::get<Enum*>(into) = value;
              return {};
            }
            return "\"" + *word + "\" is unknown; allowed: " + allowed;
          },
          [=](const ConfigSlot& from) -> std::string {
            for (const auto& [known, value] : choices) {
              if (value == *std::get<Enum*>(from)) return in_quotes(known);
            }
            return {};
          }};
}

}  // namespace

KeyKind whole_number(std::string unit, KeyRange range) {
  return {unit, range_text(range),
          [=](const ConfigNode& node, const ConfigSlot& into) -> std::string {
            const auto* value = std::get_if<std::int64_t>(&node.value);
            if (!value) return wrong_type(node, "a whole number (" + unit + ")");
            if (std::string wrong = check_range(*value, range); !wrong.empty()) return wrong;
            store(into, static_cast<std::uint64_t>(*value));
            return {};
          },
          [](const ConfigSlot& from) { return std::to_string(load(from)); }};
}

KeyKind milliseconds_kind(KeyRange range) {
  return {"milliseconds", range_text(range),
          [=](const ConfigNode& node, const ConfigSlot& into) -> std::string {
            const auto* value = std::get_if<std::int64_t>(&node.value);
            if (!value) return wrong_type(node, "a whole number (milliseconds)");
            if (std::string wrong = check_range(*value, range); !wrong.empty()) return wrong;
            *std::get<Duration*>(into) = std::chrono::milliseconds(*value);
            return {};
          },
          [](const ConfigSlot& from) {
            const Duration time = *std::get<Duration*>(from);
            return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
          }};
}

KeyKind size_kind(KeyRange range) {
  const std::string allowed = size_text(range.min) + " to " + size_text(range.max);
  return {"bytes", allowed,
          [=](const ConfigNode& node, const ConfigSlot& into) -> std::string {
            std::int64_t value = -1;
            if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
              value = *integer;
            } else if (const std::string* text = node.text()) {
              value = parse_size(*text);
              if (value < 0)
                return "\"" + *text + "\" is no size; write bytes as a number, or e.g. \"64 MiB\"";
            } else {
              return wrong_type(node, "a number of bytes, or text such as \"64 MiB\"");
            }
            if (!in_range(value, range)) {
              return std::to_string(value) + " bytes is out of range; allowed: " + allowed;
            }
            store(into, static_cast<std::uint64_t>(value));
            return {};
          },
          [](const ConfigSlot& from) {
            const std::string text = size_text(load(from));
            return text.find(' ') == std::string::npos ? text : in_quotes(text);
          }};
}

KeyKind percent_kind(unsigned min, unsigned max) {
  const auto plain = [](double value) {
    std::string text = std::to_string(value);
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text;
  };
  const std::string allowed = range_text({min, max});
  return {"percent", allowed,
          [=](const ConfigNode& node, const ConfigSlot& into) -> std::string {
            double value = 0;
            if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
              value = static_cast<double>(*integer);
            } else if (const auto* real = std::get_if<double>(&node.value)) {
              value = *real;
            } else {
              return wrong_type(node, "a number (percent)");
            }
            // Written so that "not a number" is out of range too.
            if (!(value >= min && value <= max))
              return plain(value) + " is out of range; allowed: " + allowed;
            *std::get<double*>(into) = value;
            return {};
          },
          [=](const ConfigSlot& from) { return plain(*std::get<double*>(from)); }};
}

KeyKind name_kind() { return checked_text("name", name_allowed(), check_name); }

KeyKind service_kind() {
  return checked_text("name", "the name of a service: \"echo\", \"groupware\" or \"ledger\"", check_name);
}

KeyKind member_name_kind() {
  return checked_text("name", "\"a\" or \"b\"", [](const std::string& value) -> std::string {
    if (value == "a" || value == "b") return {};
    return "\"" + value + "\" is unknown; allowed: \"a\" or \"b\"";
  });
}

KeyKind path_kind() {
  return {"path", "a path; relative ones count from the configuration file",
          [](const ConfigNode& node, const ConfigSlot& into) -> std::string {
            const std::string* value = node.text();
            if (!value) return wrong_type(node, "text in quotes (a path)");
            if (value->empty()) return "must not be empty; allowed: a path";
            if (value->find('\0') != std::string::npos) return "must not contain a NUL";
            *std::get<std::filesystem::path*>(into) = *value;
            return {};
          },
          [](const ConfigSlot& from) { return in_quotes(std::get<std::filesystem::path*>(from)->string()); }};
}

KeyKind text_kind(std::string type, std::string allowed) {
  return checked_text(std::move(type), std::move(allowed), [](const std::string&) { return std::string(); });
}

KeyKind cpu_list_kind() {
  return {"list of whole numbers", "CPU numbers 0 to " + std::to_string(cpu_max) + ", none twice",
          [](const ConfigNode& node, const ConfigSlot& slot) -> std::string {
            std::vector<int>& into = *std::get<std::vector<int>*>(slot);
            const ConfigArray* list = node.array();
            if (!list) return wrong_type(node, "a list of CPU numbers, e.g. [0, 1]");
            for (const ConfigNode& item : *list) {
              const auto* value = std::get_if<std::int64_t>(&item.value);
              if (!value) return "must hold whole numbers only, e.g. [0, 1]";
              if (std::string wrong = check_range(*value, {0, cpu_max}); !wrong.empty()) return wrong;
              const int cpu = static_cast<int>(*value);
              if (std::ranges::find(into, cpu) != into.end())
                return "names CPU " + std::to_string(cpu) + " twice";
              into.push_back(cpu);
            }
            return {};
          },
          [](const ConfigSlot&) { return std::string("[]"); }};
}

KeyKind read_mode_kind() {
  return choice<ReadMode>({{"confirmed", ReadMode::confirmed}, {"lease", ReadMode::lease}});
}

KeyKind gateway_reads_kind() {
  return choice<GatewayReads>({{"tables", GatewayReads::tables}, {"pair", GatewayReads::pair}});
}

KeyKind retention_mode_kind() {
  return choice<RetentionMode>({{"drop", RetentionMode::drop}, {"archive", RetentionMode::archive}});
}

bool is_name(std::string_view text) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= name_length_max && plain(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return plain(c) || c == '-' || c == '_'; });
}

}  // namespace pollux
