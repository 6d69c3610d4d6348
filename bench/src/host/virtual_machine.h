// Is this a virtual machine, and whose? Told with what speaks for and against it, because a wrong answer
// makes a comparison of bare metal with a VM worthless.
#pragma once

#include <string>

#include "host/cpuid.h"
#include "host/host_files.h"

namespace pollux {

struct FoundOut {
  std::string value;     ///< "none", "unknown", or a kind
  std::string evidence;  ///< what it was told from, parts joined by "; "
};

/// "none", "kvm", "vmware", "hyper-v", "xen", "virtualbox", "qemu", "bhyve", "parallels", "apple", "vm" (of a
/// kind that is not known), "unknown" (nothing here tells).
FoundOut find_virtual_machine(const HostFiles& files, const CpuidHypervisor& cpuid);

}  // namespace pollux
