#include "host/declaration.h"

namespace pollux {

// Told only where something speaks against the operator: what can't be seen may be there all
// the same.
std::string check_declaration(const std::string& declared, const FoundOut& machine,
                              const FoundOut& container) {
  const auto found = [](const FoundOut& what) { return what.value != "none" && what.value != "unknown"; };
  const std::string but = "contradicts what was found: ";
  if (declared == "metal" && found(machine)) return but + "vm " + machine.value;
  if (declared == "metal" && found(container)) return but + "container " + container.value;
  if (declared == "vm" && machine.value == "none") return but + "no hypervisor";
  if (declared == "container" && container.value == "none") return but + "no container";
  return "agrees with what was found";
}

}  // namespace pollux
