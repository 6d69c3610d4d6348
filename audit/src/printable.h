// Keys in messages for people.
#pragma once

#include <string>
#include <string_view>

namespace pollux {

/// Bytes that are no plain ASCII become \xNN; long keys are cut.
std::string printable(std::string_view bytes);

}  // namespace pollux
