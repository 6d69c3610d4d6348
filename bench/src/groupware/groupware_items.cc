#include "groupware/groupware_items.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "pollux/core/check.h"

namespace pollux {

namespace {

constexpr unsigned events_a_day = 10;
constexpr unsigned weekly_every = 50, weekly_times = 10, week_days = 7;
constexpr unsigned first_hour = 8;
constexpr std::size_t line_bytes_max = 72;  // RFC 5545 section 3.1: fold at 75 octets

std::string padded(std::uint64_t number, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*llu", digits, static_cast<unsigned long long>(number));
  return text;
}

// "20250101", day 0 being the first of 2025.
std::string date_text(unsigned day) {
  using namespace std::chrono;
  const year_month_day date{sys_days{year{2025} / January / 1} + days{day}};
  return padded(static_cast<unsigned>(static_cast<int>(date.year())), 4) +
         padded(static_cast<unsigned>(date.month()), 2) + padded(static_cast<unsigned>(date.day()), 2);
}

std::string head(const std::string& uid, const std::string& start, const std::string& end,
                 const std::string& summary) {
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Pollux//bench//EN\r\nBEGIN:VEVENT\r\nUID:" + uid +
         "\r\nDTSTAMP:20250101T000000Z\r\nDTSTART:" + start + "\r\nDTEND:" + end + "\r\nSUMMARY:" + summary +
         "\r\n";
}

constexpr std::string_view tail = "END:VEVENT\r\nEND:VCALENDAR\r\n";

// Exactly `bytes` of words, folded.
std::string folded_words(std::size_t bytes) {
  static constexpr std::string_view words =
      "The office decides what is to be done next and who will do it and by which day of the month it is "
      "due ";
  std::string out;
  std::size_t in_line = 0, at = 0;
  while (out.size() < bytes) {
    // A fold takes three bytes and must be followed by something.
    if (in_line >= line_bytes_max && bytes - out.size() > 3) {
      out += "\r\n ";
      in_line = 1;
      continue;
    }
    out += words[at++ % words.size()];
    ++in_line;
  }
  return out;
}

}  // namespace

std::string item_collection(std::uint32_t bytes) { return "items-" + std::to_string(bytes); }
std::string item_name(std::uint64_t number) { return "item-" + padded(number, 6) + ".ics"; }
std::string event_name(std::uint64_t number) { return "event-" + padded(number, 6) + ".ics"; }

std::string item_text(std::uint32_t bytes, std::uint64_t number, std::uint64_t version) {
  const auto day = date_text(static_cast<unsigned>(number % 365));
  std::string text = head("item-" + padded(number, 6), day + "T090000Z", day + "T100000Z",
                          "Item " + padded(number, 6) + " version " + padded(version, 10)) +
                     "DESCRIPTION:";
  const auto fixed = text.size() + 2 + tail.size();
  POLLUX_CHECK(bytes > fixed);
  text += folded_words(bytes - fixed);
  text.append("\r\n").append(tail);
  return text;
}

std::string event_text(std::uint64_t number, std::uint64_t version) {
  const auto day = date_text(static_cast<unsigned>(number / events_a_day));
  const auto hour = first_hour + number % events_a_day;
  std::string text = head("event-" + padded(number, 6), day + "T" + padded(hour, 2) + "0000Z",
                          day + "T" + padded(hour + 1, 2) + "0000Z",
                          "Meeting " + padded(number, 6) + " version " + padded(version, 10));
  if (number % weekly_every == 0) text += "RRULE:FREQ=WEEKLY;COUNT=" + std::to_string(weekly_times) + "\r\n";
  text += "LOCATION:Room " + std::to_string(number % 17) + "\r\nDESCRIPTION:" + folded_words(150) + "\r\n";
  text += tail;
  return text;
}

unsigned days_of(std::uint64_t events) {
  return static_cast<unsigned>((events + events_a_day - 1) / events_a_day);
}

unsigned events_within(std::uint64_t events, unsigned first_day, unsigned days) {
  unsigned count = 0;
  for (std::uint64_t number = 0; number < events; ++number) {
    const auto day = static_cast<unsigned>(number / events_a_day);
    const unsigned times = number % weekly_every == 0 ? weekly_times : 1;
    for (unsigned time = 0; time < times; ++time) {
      const auto on = day + time * week_days;
      if (on < first_day || on >= first_day + days) continue;
      ++count;
      break;
    }
  }
  return count;
}

std::string propfind_body() {
  return R"(<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><getetag/><getcontenttype/><resourcetype/></prop></propfind>)";
}

std::string multiget_body(const std::vector<std::string>& paths) {
  std::string body =
      R"(<?xml version="1.0" encoding="utf-8"?><C:calendar-multiget xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><getetag/><C:calendar-data/></prop>)";
  for (const auto& path : paths) body.append("<href>").append(path).append("</href>");
  return body + "</C:calendar-multiget>";
}

std::string time_range_body(unsigned first_day, unsigned days) {
  return R"(<?xml version="1.0" encoding="utf-8"?><C:calendar-query xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><getetag/><C:calendar-data/></prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start=")" +
         date_text(first_day) + R"(T000000Z" end=")" + date_text(first_day + days) +
         R"(T000000Z"/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>)";
}

std::string sync_body(std::string_view token) {
  return R"(<?xml version="1.0" encoding="utf-8"?><sync-collection xmlns="DAV:"><sync-token>)" +
         std::string(token) +
         "</sync-token><sync-level>1</sync-level><prop><getetag/></prop></sync-collection>";
}

namespace {

// Position after the start tag of the next element of this local name, from `at` on; npos if there is none.
std::size_t after_start_tag(std::string_view xml, std::string_view name, std::size_t at) {
  for (at = xml.find('<', at); at != std::string_view::npos; at = xml.find('<', at + 1)) {
    const auto end = xml.find_first_of(" \t\r\n/>", at + 1);
    if (end == std::string_view::npos) return end;
    auto tag = xml.substr(at + 1, end - at - 1);
    if (const auto colon = tag.find(':'); colon != std::string_view::npos) tag.remove_prefix(colon + 1);
    if (tag == name) return xml.find('>', end);
  }
  return std::string_view::npos;
}

}  // namespace

unsigned responses_in(std::string_view multistatus) {
  unsigned count = 0;
  for (std::size_t at = 0; (at = after_start_tag(multistatus, "response", at)) != std::string_view::npos;)
    ++count;
  return count;
}

std::string text_of_element(std::string_view xml, std::string_view name) {
  const auto at = after_start_tag(xml, name, 0);
  if (at == std::string_view::npos) return "";
  const auto text = xml.substr(at + 1);
  return std::string(text.substr(0, text.find('<')));
}

}  // namespace pollux
