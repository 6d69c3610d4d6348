// What `bench groupware` stores in every server and asks it for: items of an exact size, a calendar of many
// events, and the bodies of the reports. The same bytes for every server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pollux {

/// A task, forum post, wiki page or support mail's worth of bytes.
inline constexpr std::uint32_t item_sizes[] = {700, 1500, 4000, 12000};
inline constexpr unsigned items_each = 100;  ///< in a collection of items of one size

std::string item_collection(std::uint32_t bytes);  ///< "items-700"
std::string item_name(std::uint64_t number);       ///< "item-000007.ics"
/// An event of exactly `bytes` (at least 400); `version` changes some digits of it and nothing else.
std::string item_text(std::uint32_t bytes, std::uint64_t number, std::uint64_t version = 0);

inline constexpr std::string_view event_collection = "events";
std::string event_name(std::uint64_t number);
/// Ten events a day, an hour each; every fiftieth is repeated weekly, ten times in all.
std::string event_text(std::uint64_t number, std::uint64_t version = 0);
/// How many of the first `events` events take place within `days` days from the day of this number on.
unsigned events_within(std::uint64_t events, unsigned first_day, unsigned days);
inline constexpr unsigned month_days = 30;
unsigned days_of(std::uint64_t events);

// Bodies of requests.
std::string propfind_body();
std::string multiget_body(const std::vector<std::string>& paths);
std::string time_range_body(unsigned first_day, unsigned days);
std::string sync_body(std::string_view token);

/// How many DAV:response elements a multi-status answer has, whatever its namespace prefix.
unsigned responses_in(std::string_view multistatus);
/// Text of the first element of this local name, or empty.
std::string text_of_element(std::string_view xml, std::string_view name);

}  // namespace pollux
