// What the CPU itself says about a hypervisor above it. Only x86 does.
#pragma once

#include <string>

namespace pollux {

struct CpuidHypervisor {
  bool known = false;     ///< false: this CPU does not say
  bool present = false;   ///< leaf 1, ECX bit 31
  std::string signature;  ///< leaf 0x40000000: "KVMKVMKVM", "VMwareVMware", ...
};
CpuidHypervisor read_cpuid_hypervisor();

}  // namespace pollux
