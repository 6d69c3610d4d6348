// A real groupware pair with its gateway and one user: the fixture of the tests that speak HTTP to it.
#pragma once

#include <string>
#include <vector>

#include "integration/http_client.h"
#include "integration/kill_fixture.h"
#include "pollux/services/node.h"

namespace pollux::testing {

class GroupwareFixture : public KillFixture {
 protected:
  static constexpr auto user = "anna", password = "correct-horse-battery";

  void SetUp() override {
    start_with({.service = "groupware", .more_settings = "[[gateway]]\nlisten = \"127.0.0.1:0\"\n"});
    if (HasFatalFailure()) return;
    add_user(user);
    wait_until("the gateway to listen", [this] { return !gateway().empty(); });
  }
  void add_user(const std::string& name) {
    const auto added = pollux({"user", "add", name}, std::string(password) + "\n");
    ASSERT_EQ(added.exit_code, 0) << added.output;
  }
  /// The command on this pair's configuration.
  CommandResult pollux(std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), {"--config", pair().config_file().string()});
    return run_pollux(words, input, std::chrono::seconds(240));
  }
  // A gateway that was killed may come back at another port, since the test gives it none.
  [[nodiscard]] std::string gateway() const {
    return gateway_address(pair_->config(), pair_->config().gateways.front());
  }
  [[nodiscard]] HttpClient client() const { return HttpClient(gateway(), user, password); }
};

}  // namespace pollux::testing
