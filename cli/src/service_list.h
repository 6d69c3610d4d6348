// The services this program can run, by their name in the configuration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pollux/services/service.h"

namespace pollux {

std::vector<std::string> service_names();
/// Null for a name that is not in the list.
ServiceFactory service_named(std::string_view name);

/// The code whose name is `word` (result.h); io_error for a word we do not know.
Code code_named(std::string_view word);

}  // namespace pollux
