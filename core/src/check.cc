#include "pollux/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace pollux {
namespace {
CheckHandler installed = nullptr;
}

void set_check_handler(CheckHandler handler) { installed = handler; }

void check_failed(const char* condition, const char* file, int line, const char* why) noexcept(false) {
  if (installed != nullptr) installed(condition, file, line, why);
  std::fprintf(stderr, "pollux: check failed: %s (%s:%d) %s\n", condition, file, line, why);
  std::abort();
}

}  // namespace pollux
