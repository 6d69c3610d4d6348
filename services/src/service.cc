#include "pollux/services/service.h"

#include "text.h"

namespace pollux {

bool Service::frees_space(std::string_view /*payload*/) const { return false; }

std::string Service::describe(std::string_view payload) const { return cat(payload.size(), " bytes"); }

}  // namespace pollux
