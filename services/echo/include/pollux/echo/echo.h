// Echo: a request is answered with its own bytes, which are journaled as well; a query is answered with its
// own bytes and leaves no trace. What a pair costs beyond the work of its service.
#pragma once

#include <memory>

#include "pollux/services/service.h"

namespace pollux::echo {

/// State: one row, "last", the bytes of the last request.
std::unique_ptr<Service> make_service();

}  // namespace pollux::echo
