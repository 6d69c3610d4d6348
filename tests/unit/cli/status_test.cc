// `pollux status` with stand-ins for the members: what it shows, and its exit code.
#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <thread>

#include "exit_codes.h"
#include "json.h"
#include "pollux/services/config.h"
#include "pollux/services/control.h"
#include "pollux/services/node.h"
#include "run_command.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class StatusTest : public ::testing::Test {
 protected:
  StatusTest() {
    workplace_.write("pollux.toml", "data = \"data\"\n[[pair]]\nname = \"bank\"\nservice = \"ledger\"\n");
    config_ = *load_config("pollux.toml");
    EXPECT_TRUE(prepare_data_directory(config_));
  }
  void serve(const std::filesystem::path& control, const std::string& line) {
    auto server =
        ControlServer::open(control, [line](const std::string&, const auto& reply) { reply(line); });
    ASSERT_TRUE(server) << server.error().text;
    servers_.push_back(std::move(*server));
  }
  void member(int index, const std::string& role, const std::string& more = "") {
    serve(config_.pairs[0].members[static_cast<std::size_t>(index)].control,
          R"({"role":")" + role + R"(","serving":)" + (role == "primary" ? "true" : "false") +
              R"(,"pid":4711,"epoch":3,"durable":{"lsn":1023},"committed":{"lsn":1022},"applied":1000,)"
              R"("reason":"the primary fell silent","role_since":"2026-01-31T12:00:00.000000Z")" +
              more + R"(,"done":true})");
  }
  void node() {
    serve(node_control(config_),
          R"({"pid":12,"started":"2026-01-31T12:00:00.000000Z","children":[],"done":true})");
  }

  Workplace workplace_;
  Config config_;
  std::vector<std::unique_ptr<ControlServer>> servers_;
};

TEST_F(StatusTest, AMemberThatHangsIsNotWaitedForByVerify) {
  const auto asked = std::chrono::steady_clock::now();
  auto hanging = ControlServer::open(config_.pairs[0].members[0].control, [](const auto&, const auto& reply) {
    while (reply("")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  ASSERT_TRUE(hanging);
  const Ran ran = run_command({"audit", "verify", "--member", "a"});
  EXPECT_EQ(ran.code, Exit::unreachable);
  EXPECT_THAT(ran.err, HasSubstr("member a"));
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(60));
}

TEST_F(StatusTest, AMemberThatIsNotThereIsRefusedByName) {
  for (const char* command : {"verify", "tail", "stats"}) {
    const Ran ran = run_command({"audit", command, "--member", "c"});
    EXPECT_EQ(ran.code, Exit::failed) << command;
    EXPECT_THAT(ran.err, HasSubstr("no member \"c\"; there are: a b"));
  }
}

TEST_F(StatusTest, ShowsAHealthyPair) {
  member(0, "backup");
  member(1, "primary");
  node();
  const Ran ran = run_command({"status"});
  EXPECT_EQ(ran.code, Exit::ok) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("pair bank (ledger): healthy"));
  for (const char* part :
       {"primary", "backup", "4711", "1023", "1022", "1000", "because the primary fell silent"}) {
    EXPECT_THAT(ran.out, HasSubstr(part));
  }
  EXPECT_THAT(ran.out, Not(HasSubstr("!"))) << "nothing to shout about";
  EXPECT_THAT(ran.out, Not(HasSubstr("\033"))) << "no colours but on a terminal";
}

TEST_F(StatusTest, ShoutsWhenAPairIsSolo) {
  member(0, "primary", R"(,"solo":true)");
  node();
  const Ran ran = run_command({"status"});
  EXPECT_EQ(ran.code, Exit::degraded);
  EXPECT_THAT(ran.out, HasSubstr("!!! PAIR bank IS SOLO"));
  EXPECT_THAT(ran.out, HasSubstr("no answer"));
}

TEST_F(StatusTest, ShoutsWhenAPairIsDown) {
  node();
  const Ran ran = run_command({"status"});
  EXPECT_EQ(ran.code, Exit::down);
  EXPECT_THAT(ran.out, HasSubstr("!!! PAIR bank IS DOWN"));
}

TEST_F(StatusTest, WithoutANodeItIsDegraded) {
  member(0, "primary");
  member(1, "backup");
  const Ran ran = run_command({"status"});
  EXPECT_EQ(ran.code, Exit::degraded);
  EXPECT_THAT(ran.out, HasSubstr("no node supervises"));
}

TEST_F(StatusTest, JsonHoldsTheSame) {
  member(0, "primary");
  node();
  const Ran ran = run_command({"status", "--json"});
  EXPECT_EQ(ran.code, Exit::degraded);
  EXPECT_EQ(lines_in(ran.out), 1u);
  const Result<Json> json = Json::parse(ran.out);
  ASSERT_TRUE(json) << ran.out;
  EXPECT_EQ(json->text("health"), "degraded");
  EXPECT_EQ(json->number("node.pid"), 12u);
  const std::vector<Json> pairs = json->list("pairs");
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].text("primary"), "a");
  EXPECT_EQ(pairs[0].number("members.a.durable.lsn"), 1023u);
  EXPECT_FALSE(pairs[0].has("members.b"));
}

TEST_F(StatusTest, PidIsThePrimarysAndNothingElse) {
  member(0, "backup");
  member(1, "primary");
  EXPECT_EQ(run_command({"status", "--pid", "bank"}).out, "4711\n");
}

TEST_F(StatusTest, TextFromAMemberCannotPlayWithTheTerminal) {
  member(0, "primary", R"(,"waiting_for":"\u001b[2Jnothing")");
  const Ran ran = run_command({"status"});
  EXPECT_THAT(ran.out, HasSubstr("\\x1b[2Jnothing"));
}

TEST_F(StatusTest, AMemberThatAnswersNonsenseIsNoAnswer) {
  serve(config_.pairs[0].members[0].control, "nonsense");
  serve(config_.pairs[0].members[1].control, R"({"error":{"code":"busy","text":"no"},"done":true})");
  EXPECT_EQ(run_command({"status"}).code, Exit::down);
}

}  // namespace
}  // namespace pollux::testing
