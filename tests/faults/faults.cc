#include "faults/faults.h"

#include <cstdlib>
#include <fstream>
#include <string_view>

namespace pollux::testing {

namespace {
std::string joined(const char* variable, std::string_view separator, std::string_view more) {
  const char* before = std::getenv(variable);
  std::string value = std::string(variable) + "=";
  if (before != nullptr && *before != 0) value.append(before).append(separator);
  return value.append(more);
}
}  // namespace

std::vector<std::string> DiskFaults::environment() const {
  return {
      joined("LD_PRELOAD", ":", POLLUX_FAULTS_LIBRARY),
      // The sanitizer's library wants to be first. It isn't, and it does no harm here: what we stand before
      // calls the sanitizer's wrapper next.
      joined("ASAN_OPTIONS", ":", "verify_asan_link_order=0"),
      "POLLUX_FAULTS_CONTROL=" + control_.string(),
  };
}

void DiskFaults::set(DiskOperation operation, DiskFault fault, const std::filesystem::path& directory) {
  static constexpr const char* operations[] = {"flush", "write", "any"};
  static constexpr const char* faults[] = {"EIO", "ENOSPC", "hang"};
  write_control(std::string(operations[static_cast<int>(operation)]) + " " + faults[static_cast<int>(fault)] +
                " " + std::filesystem::weakly_canonical(directory).string() + "\n");
}

void DiskFaults::clear() { write_control(""); }

// By renaming: nobody reads half a rule.
void DiskFaults::write_control(const std::string& text) const {
  const std::filesystem::path fresh = control_.string() + ".new";
  std::ofstream(fresh, std::ios::trunc) << text;
  std::filesystem::rename(fresh, control_);
}

}  // namespace pollux::testing
