// cadaver, the command-line WebDAV client: what a person types, one command after the other.
#include <gmock/gmock.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "interop/groupware_pair.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CadaverTest : public GroupwarePair {
 protected:
  /// It takes its login from ~/.netrc only, and its commands from standard input.
  Said type(const std::vector<std::string>& commands, const std::string& path) {
    std::ofstream(room() / ".netrc") << "machine " << gateway().substr(0, gateway().rfind(':')) << " login "
                                     << user << " password " << password << "\n";
    std::ofstream input(room() / "commands");
    for (const auto& command : commands) input << command << "\n";
    input << "quit\n";
    input.close();
    return run("HOME=\"$PWD\" cadaver '" + url(path) + "' < commands");
  }
  void write(const std::string& name, const std::string& content) { std::ofstream(room() / name) << content; }
  std::string read(const std::string& name) {
    std::ifstream file(room() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(CadaverTest, EveryCommandOfAWorkingDaySucceeds) {
  write("f.txt", "hello\n");
  const auto said =
      type({"mkcol box", "cd box", "put f.txt", "put f.txt \"with space & ümlaut.txt\"", "ls",
            "propset f.txt color blue", "propget f.txt color", "copy f.txt g.txt", "move g.txt h.txt",
            "get h.txt out.txt", "lock f.txt", "discover f.txt", "unlock f.txt", "delete f.txt", "ls",
            "cd ..", "copy box/ box2/", "rmcol box", "ls box2"},
           std::string("/dav/files/") + user + "/");
  EXPECT_THAT(said.text, Not(HasSubstr("failed"))) << said.text;
  EXPECT_THAT(said.text, Not(HasSubstr("Could not")));
  EXPECT_THAT(said.text, HasSubstr("Value of color is: blue"));
  EXPECT_THAT(said.text, HasSubstr("with space & ümlaut.txt"));
  EXPECT_EQ(read("out.txt"), "hello\n") << said.text;
  EXPECT_THAT(type({"delete none"}, std::string("/dav/files/") + user + "/").text, HasSubstr("failed"));
}

TEST_F(CadaverTest, TheSameWhileThePrimaryIsKilled) {
  write("f.txt", "hello\n");
  type({"mkcol box"}, std::string("/dav/files/") + user + "/");
  std::vector<std::string> commands;
  for (int number = 0; number < 40; ++number) {
    const std::string name = "f" + std::to_string(number);
    commands.insert(commands.end(), {"put f.txt " + name, "lock " + name, "unlock " + name,
                                     "move " + name + " g" + std::to_string(number)});
  }
  remember();
  const std::size_t victim = primary();
  const std::uint64_t before = status(victim).committed;
  Said said;
  std::atomic<bool> ended = false;
  std::thread client([&] {
    said = type(commands, std::string("/dav/files/") + user + "/box/");
    ended = true;
  });
  wait_until("it to be in the middle", [&] { return ended || status(victim).committed >= before + 50; });
  EXPECT_FALSE(ended);
  kill_member(victim);
  client.join();
  EXPECT_THAT(said.text, Not(HasSubstr("failed"))) << said.text;
  const auto listed = type({"ls"}, std::string("/dav/files/") + user + "/box/");
  for (int number = 0; number < 40; ++number) {
    EXPECT_THAT(listed.text, HasSubstr(" g" + std::to_string(number) + " ")) << number;
  }
  expect_remembered();
}

}  // namespace
}  // namespace pollux::testing
