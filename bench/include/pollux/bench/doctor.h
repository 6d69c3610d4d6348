// `pollux doctor`: a look of a few seconds at this host, and what follows from it for a pair: times that it
// can keep, and settings that will hurt.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "pollux/services/config.h"

namespace pollux {

struct DoctorOptions {
  std::filesystem::path directory = ".";  ///< whose disk is looked at; it must be there
  std::optional<Config> config;           ///< that is compared with what the host can keep
  std::string config_name;                ///< what it is called: a file, or "the default configuration"
  std::chrono::milliseconds look{3000};   ///< about, all in all
  bool json = false;
};

struct DoctorExit {
  static constexpr int ok = 0;
  static constexpr int failed = 1;    ///< could not look
  static constexpr int warnings = 3;  ///< looked, and there is something to do
};

/// Prints what it finds. Returns a DoctorExit.
int doctor(const DoctorOptions& options);

}  // namespace pollux
