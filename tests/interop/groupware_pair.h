// Other people's programs, run against a groupware pair.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "integration/groupware_fixture.h"

namespace pollux::testing {

/// What a program said, both streams in one, and its exit code.
struct Said {
  int exit_code = -1;
  std::string text;
};

class GroupwarePair : public GroupwareFixture {
 protected:
  [[nodiscard]] std::string url(const std::string& path) const { return "http://" + gateway() + path; }

  /// A directory for what the program writes.
  [[nodiscard]] std::filesystem::path room() {
    const auto path = pair().home() / "client";
    std::filesystem::create_directories(path);
    return path;
  }
  /// Runs a shell command in `room`; 10 minutes are the most that ctest gives it.
  Said run(const std::string& command) {
    Said said;
    const std::string whole = "cd '" + room().string() + "' && { " + command + "; } 2>&1";
    FILE* pipe = ::popen(whole.c_str(), "r");
    if (pipe == nullptr) return said;
    std::array<char, 4096> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
      said.text.append(part.data(), count);
    }
    const int status = ::pclose(pipe);
    said.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return said;
  }
};

}  // namespace pollux::testing
