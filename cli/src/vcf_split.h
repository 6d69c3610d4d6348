// A file of vCards taken apart (RFC 6350), one by one. What is stored is what stood in the file, line by
// line.
#pragma once

#include <string>
#include <string_view>

#include "ics_split.h"

namespace pollux {

/// Never fails: what can't be read is a fault, and the rest goes on. A card without a UID gets one from its
/// content, so that importing the file again replaces what it brought; the stores need a UID (RFC 6352, 5.1).
/// `components` counts the cards.
IcsSplit split_cards(std::string_view file);

/// The file holds vCards: they are what it begins with.
bool is_card_file(std::string_view file);

}  // namespace pollux
