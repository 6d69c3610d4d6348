// The operator's word on what this host is, beside what was found out.
#pragma once

#include <string>

#include "host/virtual_machine.h"

namespace pollux {

/// `declared`: "metal", "vm", "container". Only where something speaks against it, it is contradicted: what
/// can't be seen may be there all the same.
std::string check_declaration(const std::string& declared, const FoundOut& machine,
                              const FoundOut& container);

}  // namespace pollux
