// What a command says when it is called wrongly, or with nothing there: one line, what to do, an exit code.
#include <gmock/gmock.h>

#include <algorithm>

#include "exit_codes.h"
#include "pollux/services/config.h"
#include "run_command.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

struct Wrong {
  std::string name;
  std::vector<std::string> words;
  int code;
  std::string said;
};
class WrongCommand : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongCommand, IsOneLineAndAnExitCode) {
  const Workplace workplace;
  workplace.write("bad.toml", "clutser = \"x\"\n");
  workplace.write(
      "two.toml",
      "[[pair]]\nname = \"one\"\nservice = \"ledger\"\n[[pair]]\nname = \"two\"\nservice = \"ledger\"\n");
  const Ran ran = run_command(GetParam().words);
  EXPECT_EQ(ran.code, GetParam().code) << ran.out << ran.err;
  EXPECT_EQ(lines_in(ran.err), 1u) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(GetParam().said));
  EXPECT_EQ(ran.out, "");
  EXPECT_FALSE(std::filesystem::exists(workplace.path() / "pollux-data"))
      << "a command that failed left something";
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, WrongCommand,
    ::testing::Values(
        Wrong{"NoCommand", {}, Exit::usage, "subcommand is required"},
        Wrong{"UnknownCommand", {"dance"}, Exit::usage, "pollux --help"},
        Wrong{"UnknownOption", {"status", "--loud"}, Exit::usage, "--loud"},
        Wrong{"MissingArgument", {"takeover", "ledger"}, Exit::usage, "NAME"},
        Wrong{"GroupWithoutCommand", {"user"}, Exit::usage, "subcommand is required"},
        Wrong{"BadNumber", {"audit", "show", "0"}, Exit::usage, "\"0\" is no LSN"},
        Wrong{"NothingHere", {"status"}, Exit::bad_config, "no configuration here"},
        Wrong{"NoDataYet", {"--data", "none", "status"}, Exit::bad_config, "no data directory of Pollux yet"},
        Wrong{"BadConfig", {"--config", "bad.toml", "status"}, Exit::bad_config, "did you mean cluster?"},
        Wrong{"BadConfigAfterTheCommand",
              {"status", "--config", "bad.toml"},
              Exit::bad_config,
              "bad.toml:1: clutser"},
        Wrong{"NoConfig", {"--config", "none.toml", "node"}, Exit::bad_config, "can't be read"},
        Wrong{
            "ConfigAndData", {"--config", "two.toml", "--data", "x", "status"}, Exit::bad_config, "not both"},
        Wrong{"ListenWithConfig",
              {"--config", "two.toml", "--listen", "127.0.0.1:1", "up"},
              Exit::bad_config,
              "--listen"},
        Wrong{"ListenBeyondLoopback",
              {"--data", "x", "--listen", "0.0.0.0:80", "up"},
              Exit::bad_config,
              "loopback"},
        Wrong{"ConfigCheck",
              {"config", "check", "bad.toml"},
              Exit::bad_config,
              "bad.toml:1: clutser: unknown key"},
        Wrong{"ImportOfNothing", {"import", "none.ics"}, Exit::failed, "none.ics can't be read"},
        Wrong{"BadFirstUser", {"--data", "x", "up", "--first-user", "a b"}, Exit::failed, ""}),
    [](const auto& wrong) { return wrong.param.name; });

TEST(CommandLine, HelpAndVersionAreNoErrors) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--help"}, {"status", "--help"}, {"user", "add", "--help"}, {"--help-all"}}) {
    const Ran ran = run_command(words);
    EXPECT_EQ(ran.code, Exit::ok) << ran.err;
    EXPECT_GT(ran.out.size(), 50u);
    EXPECT_EQ(ran.err, "");
  }
  EXPECT_THAT(run_command({"version"}).out, HasSubstr("pollux "));
  EXPECT_EQ(run_command({"--version"}).out, run_command({"version"}).out);
}

TEST(CommandLine, ConfigCheckShowsEveryFault) {
  const Workplace workplace;
  const std::string file =
      workplace.write("x.toml", "clutser = 1\n[[pair]]\nname = \"p\"\nservice = \"teapot\"\nx = 1\n");
  const Ran ran = run_command({"config", "check", file});
  EXPECT_EQ(ran.code, Exit::bad_config);
  EXPECT_EQ(lines_in(ran.err), 3u) << ran.err;
  EXPECT_THAT(ran.err,
              HasSubstr(":4: pair.service: \"teapot\" is unknown; allowed: \"echo\" or \"groupware\" or \"ledger\""));
}

TEST(CommandLine, ConfigCheckPraisesAGoodFile) {
  const Workplace workplace;
  const std::string file = workplace.write("pollux.toml", "[[pair]]\nname = \"p\"\nservice = \"ledger\"\n");
  EXPECT_EQ(run_command({"config", "check", file}).code, Exit::ok);
  EXPECT_THAT(run_command({"config", "check"}).out, HasSubstr("1 pairs"));  // found in the current directory
}

TEST(CommandLine, APairMustBeNamedWhereThereAreSeveral) {
  const Workplace workplace;
  workplace.write(
      "pollux.toml",
      "[[pair]]\nname = \"one\"\nservice = \"ledger\"\n[[pair]]\nname = \"two\"\nservice = \"ledger\"\n");
  Result<Config> config = load_config("pollux.toml");
  ASSERT_TRUE(config);
  ASSERT_TRUE(prepare_data_directory(*config));
  EXPECT_THAT(run_command({"switch"}).err, HasSubstr("which pair? There are: one two"));
  EXPECT_THAT(run_command({"switch", "three"}).err, HasSubstr("no pair \"three\""));
  EXPECT_THAT(run_command({"user", "list"}).err,
              HasSubstr("no pair of this configuration runs the service groupware"));
  const Ran call = run_command({"call", "one", "deposit", "alice", "1.234"});
  EXPECT_EQ(call.code, Exit::usage);
  EXPECT_THAT(call.err, HasSubstr("no amount"));
  const Ran down = run_command({"takeover", "one", "a"});
  EXPECT_EQ(down.code, Exit::unreachable);
  EXPECT_EQ(lines_in(down.err), 1u) << down.err;
  EXPECT_EQ(run_command({"stop"}).code, Exit::unreachable);
}

}  // namespace
}  // namespace pollux::testing
