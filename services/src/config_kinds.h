// The kinds of values that keys of the configuration file can have.
#pragma once

#include <cstdint>
#include <string>

#include "config_rules.h"

namespace pollux {

struct KeyRange {
  std::uint64_t min = 0, max = 0;
};

KeyKind whole_number(std::string unit, KeyRange range);
/// Into a Duration.
KeyKind milliseconds_kind(KeyRange range);
/// A number of bytes, or text with a unit: "64 MiB".
KeyKind size_kind(KeyRange range);
KeyKind percent_kind(unsigned min, unsigned max);
KeyKind name_kind();
KeyKind service_kind();
KeyKind member_name_kind();
KeyKind path_kind();
/// Text that is checked with others once all is read (config_check.h).
KeyKind text_kind(std::string type, std::string allowed);
KeyKind cpu_list_kind();
KeyKind read_mode_kind();
KeyKind gateway_reads_kind();
KeyKind retention_mode_kind();

}  // namespace pollux
