// What an operator does for users with `pollux share` and `pollux user quota`, seen by them with curl.
#include <gmock/gmock.h>

#include "interop/groupware_pair.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ShareTest : public GroupwarePair {
 protected:
  void SetUp() override {
    GroupwarePair::SetUp();
    if (!HasFatalFailure()) add_user("bert");
  }
  /// The status, then the body.
  Said curl(const std::string& who, const std::string& path, const std::string& options = {}) {
    return run("curl -sS -w '%{http_code}\\n' -u " + who + ":" + password + " " + options + " '" + url(path) +
               "'");
  }
  std::string pollux(std::vector<std::string> words) {
    std::vector<std::string> arguments{"--config", pair().config_file().string()};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const auto ran = run_pollux(arguments, {});
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    return ran.output;
  }
};

TEST_F(ShareTest, AFolderIsSharedForReadingThenForWritingThenNotAtAll) {
  const std::string mine = "/dav/files/anna/", his = "/dav/files/bert/";
  ASSERT_THAT(curl(user, mine + "team/", "-X MKCOL").text, HasSubstr("201"));
  ASSERT_THAT(curl(user, mine + "team/a.txt", "-X PUT -d hello").text, HasSubstr("201"));
  EXPECT_THAT(curl("bert", his + "team/a.txt").text, HasSubstr("404"));
  EXPECT_THAT(pollux({"share", "add", "files/anna/team", "bert"}), HasSubstr("bert may read"));
  EXPECT_THAT(curl("bert", his + "team/a.txt").text, HasSubstr("hello200"));
  EXPECT_THAT(curl("bert", his + "team/a.txt", "-X PUT -d bye").text, HasSubstr("need-privileges"));
  pollux({"share", "add", url(mine + "team/"), "bert", "--write"});
  EXPECT_THAT(curl("bert", his + "team/a.txt", "-X PUT -d bye").text, HasSubstr("204"));
  EXPECT_THAT(pollux({"share", "list", "files/anna/team"}), HasSubstr("bert\tread and write"));
  kill_member(primary());
  wait_in_sync();
  EXPECT_THAT(curl(user, mine + "team/a.txt").text, HasSubstr("bye200"));
  EXPECT_THAT(curl("bert", his + "team/a.txt").text, HasSubstr("bye200"));
  pollux({"share", "remove", "files/anna/team", "bert"});
  EXPECT_THAT(curl("bert", his + "team/a.txt").text, HasSubstr("404"));
  EXPECT_THAT(pollux({"share", "list", "files/anna/team"}), Not(HasSubstr("bert")));
}

TEST_F(ShareTest, AQuotaIsKept) {
  pollux({"user", "quota", user, "1K"});
  const std::string file = "/dav/files/anna/a";
  EXPECT_THAT(curl(user, file, "-X PUT -d " + std::string(1000, 'x')).text, HasSubstr("201"));
  EXPECT_THAT(curl(user, file + "2", "-X PUT -d " + std::string(100, 'x')).text,
              HasSubstr("quota-not-exceeded"));
  pollux({"user", "quota", user, "none"});
  EXPECT_THAT(curl(user, file + "2", "-X PUT -d " + std::string(100, 'x')).text, HasSubstr("201"));
}

}  // namespace
}  // namespace pollux::testing
