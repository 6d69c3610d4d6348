#include "host/cpuid.h"

#include <cstring>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace pollux {

CpuidHypervisor read_cpuid_hypervisor() {
  CpuidHypervisor found;
#if defined(__x86_64__) || defined(__i386__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
  constexpr unsigned hypervisor_bit = 1u << 31;
  found.known = true;
  found.present = (c & hypervisor_bit) != 0;
  if (!found.present) return found;
  constexpr unsigned signature_leaf = 0x40000000;
  __cpuid(signature_leaf, a, b, c, d);
  char text[13] = {};
  std::memcpy(text, &b, 4);
  std::memcpy(text + 4, &c, 4);
  std::memcpy(text + 8, &d, 4);
  found.signature = text;
#endif
  return found;
}

}  // namespace pollux
