// A groupware pair with a gateway and one user, for other people's programs.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "integration/kill_fixture.h"
#include "pollux/services/node.h"

namespace pollux::testing {

/// What a program said, both streams in one, and its exit code.
struct Said {
  int exit_code = -1;
  std::string text;
};

class GroupwarePair : public KillFixture {
 protected:
  static constexpr auto user = "anna", password = "correct-horse-battery";

  void SetUp() override {
    start_with({.service = "groupware", .more_settings = "[[gateway]]\nlisten = \"127.0.0.1:0\"\n"});
    if (HasFatalFailure()) return;
    add_user(user);
    wait_until("the gateway to listen", [this] { return !gateway().empty(); });
  }
  void add_user(const std::string& name) {
    const auto added = run_pollux({"--config", pair().config_file().string(), "user", "add", name},
                                  std::string(password) + "\n");
    ASSERT_EQ(added.exit_code, 0) << added.output;
  }
  [[nodiscard]] std::string gateway() const {
    return gateway_address(pair_->config(), pair_->config().gateways.front());
  }
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
