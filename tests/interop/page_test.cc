// The page for a person, in a headless Chromium: what somebody does in an office, and once more while the primary is
// killed.
#include <gmock/gmock.h>

#include <thread>

#include "interop/groupware_pair.h"

namespace pollux::testing {
namespace {

class PageTest : public GroupwarePair {
 protected:
  Said use_page() {
    return run(std::string("/usr/bin/python3 '") + POLLUX_CLIENTS + "/page.py' '" + url("") + "' " + user + " " +
               password + " '" + room().string() + "'");
  }
};

TEST_F(PageTest, APersonPlansAndTicksOff) {
  const Said said = use_page();
  EXPECT_EQ(said.exit_code, 0) << said.text;
  EXPECT_THAT(said.text, ::testing::EndsWith("done\n"));
}

TEST_F(PageTest, APersonSeesNoErrorWhileThePrimaryIsKilled) {
  remember();
  const std::size_t victim = primary();
  const std::uint64_t before = status(victim).committed;
  Said said;
  std::thread person([&] { said = use_page(); });
  wait_until("the first task to be stored", [&] { return status(victim).committed > before + 1; });
  kill_member(victim);
  person.join();
  EXPECT_EQ(said.exit_code, 0) << said.text;
  expect_remembered();
}

}  // namespace
}  // namespace pollux::testing
