// From a TZID to a zone of the system.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#include "calendar/content_lines.h"
#include "calendar/values.h"
#include "calendar/zone.h"

namespace pollux {
namespace {

constexpr std::size_t zone_name_bytes_max = 100;
constexpr std::size_t zone_file_bytes_max = 1u << 20;

/// A name that can only lead below the database's folder.
bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > zone_name_bytes_max || name.front() == '/' || name.contains(".."))
    return false;
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '_' || c == '-' || c == '+';
  });
}

/// Zones are kept for the process's life: there are only as many as there are files.
class Library {
 public:
  ZonePtr find(std::string_view name) {
    if (!is_zone_name(name)) return nullptr;
    const std::lock_guard lock(mutex_);
    if (const auto found = zones_.find(name); found != zones_.end()) return found->second;
    auto zone = load(std::string(name));
    if (zone) zones_.emplace(name, zone);
    return zone;
  }

 private:
  static ZonePtr load(const std::string& name) {
    const char* folder = std::getenv("TZDIR");
    std::ifstream file(
        std::string(folder != nullptr && *folder != '\0' ? folder : "/usr/share/zoneinfo") + "/" + name,
        std::ios::binary);
    if (!file) return nullptr;
    std::string bytes(zone_file_bytes_max, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    auto zone = zone_from_tzif(bytes);
    return zone ? std::make_shared<const Zone>(std::move(*zone)) : nullptr;
  }

  std::mutex mutex_;
  std::map<std::string, ZonePtr, std::less<>> zones_;
};

/// "(UTC+01:00) Amsterdam", "GMT-0330", "UTC+2", "tzone://Microsoft/Utc": the offset they tell.
std::optional<std::int32_t> told_offset(std::string_view name) {
  if (name.starts_with('(')) name = name.substr(1, name.find(')') - 1);
  for (const std::string_view prefix : {"tzone://Microsoft/", "UTC", "GMT"}) {
    if (name.size() >= prefix.size() && equal_ignoring_case(name.substr(0, prefix.size()), prefix)) {
      name.remove_prefix(prefix.size());
      if (name.empty()) return 0;
    }
  }
  if (name.empty() || (name.front() != '+' && name.front() != '-')) return std::nullopt;
  std::string digits;
  for (const char c : name.substr(1)) {
    if (c == ':') continue;
    if (c < '0' || c > '9' || digits.size() == 4) return std::nullopt;
    digits.push_back(c);
  }
  if (digits.size() == 1 || digits.size() == 3) digits.insert(digits.begin(), '0');
  if (digits.size() == 2) digits += "00";
  return parse_utc_offset(std::string(1, name.front()) + digits);
}

}  // namespace

ZonePtr find_system_zone(std::string_view tzid) {
  static Library library;
  tzid = trim_text(tzid);
  if (auto zone = library.find(tzid)) return zone;
  if (const auto name = zone_of_windows_name(tzid); !name.empty()) return library.find(name);
  // Behind a vendor's prefix: the longest end of it that is a name.
  if (tzid.starts_with('/')) {
    for (std::size_t slash = tzid.find('/', 1); slash != std::string_view::npos;
         slash = tzid.find('/', slash + 1)) {
      if (auto zone = library.find(tzid.substr(slash + 1))) return zone;
    }
  }
  if (const auto offset = told_offset(tzid))
    return std::make_shared<const Zone>(*offset, std::vector<Zone::Transition>());
  return nullptr;
}

}  // namespace pollux
