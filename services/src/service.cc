#include "pollux/services/service.h"

#include "text.h"

namespace pollux {

std::string Service::describe(std::string_view payload) const { return cat(payload.size(), " bytes"); }

}  // namespace pollux
