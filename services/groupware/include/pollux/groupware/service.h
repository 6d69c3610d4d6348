// The groupware service: users, their calendars, and what is in them, as a service of a pair.
//
// It answers what requests.h names. It does not parse iCalendar or HTTP: the gateway does that before it
// asks, so that the executor stays fast. What must be atomic is decided here: preconditions, UIDs, names.
#pragma once

#include <memory>

#include "pollux/services/service.h"

namespace pollux {

std::unique_ptr<Service> make_groupware_service();

}  // namespace pollux
