#include "pollux/bench/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace pollux {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ChildProcessTest : public ::testing::Test {
 protected:
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-child-"));
  std::string output() {
    std::ifstream file(home_->path() / "out");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::unique_ptr<ChildProcess> start(const std::string& script) {
    auto child =
        ChildProcess::start({.argv = {"/bin/sh", "-c", script, (home_->path() / "argument").string()},
                             .environment = {"POLLUX_GREETING=hello"},
                             .output = home_->path() / "out"});
    if (!child) ADD_FAILURE() << child.error().text;
    return std::move(*child);
  }
};

TEST_F(ChildProcessTest, RunsAProgramWithMoreEnvironmentAndKeepsItsOutput) {
  const auto child = start("echo $POLLUX_GREETING; echo world >&2; exit 5");
  const auto status = child->wait(seconds(30));
  ASSERT_TRUE(status);
  EXPECT_EQ(WEXITSTATUS(*status), 5);
  EXPECT_EQ(output(), "hello\nworld\n");
}

TEST_F(ChildProcessTest, SaysWhichProgramCantBeStarted) {
  const auto child = ChildProcess::start({.argv = {"/nowhere/pollux"}});
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().text, ::testing::HasSubstr("/nowhere/pollux"));
}

TEST_F(ChildProcessTest, AChildIsGoneWhenItsObjectIs) {
  pid_t pid = 0;
  {
    const auto child = start("exec sleep 1000");
    pid = child->pid();
    EXPECT_TRUE(child->running());
    EXPECT_FALSE(child->wait(milliseconds(1)));
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST_F(ChildProcessTest, FindsAndEndsWhoeverWorksInADirectory) {
  const auto child = start("while :; do sleep 1000; done");
  // Until it has become `sleep`, what the shell forked looks like the shell.
  std::vector<pid_t> found;
  for (int look = 0; look < 1000 && found != std::vector{child->pid()}; ++look) {
    found = processes_with_argument("/bin/sh", home_->path().string());
    std::this_thread::sleep_for(milliseconds(5));
  }
  ASSERT_THAT(found, ::testing::ElementsAre(child->pid()));
  EXPECT_THAT(processes_with_argument("/bin/true", home_->path().string()), ::testing::IsEmpty());
  EXPECT_TRUE(kill_and_wait(found.front(), seconds(30)));
  EXPECT_FALSE(child->running());
}

TEST(TemporaryDirectory, GoesWithAllThatIsInIt) {
  fs::path path;
  {
    const auto directory = TemporaryDirectory::make(fs::temp_directory_path(), "pollux-child-");
    ASSERT_TRUE(directory);
    path = (*directory)->path();
    fs::create_directories(path / "deep" / "deeper");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryDirectory, RefusesAParentThatIsNotThere) {
  const auto directory = TemporaryDirectory::make("/nowhere/at/all", "pollux-child-");
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().text, ::testing::HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace pollux
