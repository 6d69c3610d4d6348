// Switches the preloaded library's faults (preload.cc) on and off, while the programs under test run.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pollux::testing {

enum class DiskOperation { flush, write, any };
enum class DiskFault { io_error, no_space, hang };

class DiskFaults {
 public:
  /// `control` is the control file; it need not exist. Programs started with environment() watch it.
  explicit DiskFaults(std::filesystem::path control) : control_(std::move(control)) {}

  /// NAME=value, to be added to a program's environment: preloads the library, in any build.
  [[nodiscard]] std::vector<std::string> environment() const;

  /// From now on `operation` fails for files below `directory` (made absolute), in every program that watches
  /// the control file. A second fault replaces the first.
  void set(DiskOperation operation, DiskFault fault, const std::filesystem::path& directory);
  /// Nothing fails any more; calls that hang go on.
  void clear();

 private:
  void write_control(const std::string& text) const;
  std::filesystem::path control_;
};

}  // namespace pollux::testing
