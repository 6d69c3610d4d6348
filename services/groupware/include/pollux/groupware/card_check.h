// Is this a vCard that an address book may store (RFC 6352, 5.1)? Nothing is rewritten: what is stored are
// the octets that were given.
//
// What is asked for: one vCard of version 3.0 or 4.0, in UTF-8, with one UID, and FN or N. What is not: that
// FN and N are both there, that values are well-formed, that VERSION comes first; clients in use break all of
// these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace pollux {

struct CardLimits {
  static constexpr std::size_t lines_max = 100'000;  ///< content lines, unfolded
};

struct CardObject {
  std::string uid;
  std::string version;  ///< "3.0" or "4.0"
  bool operator==(const CardObject&) const = default;
};

/// What was wrong, as RFC 6352, 6.3.2.1 names it.
enum class CardFault : std::uint8_t {
  data,     ///< valid-address-data: can't be read as one vCard
  version,  ///< supported-address-data: a vCard of another version
};
struct CardRefusal {
  CardFault fault = CardFault::data;
  std::string text;  ///< one sentence, with the line's number where there is one
};

std::expected<CardObject, CardRefusal> check_card(std::string_view content);

}  // namespace pollux
