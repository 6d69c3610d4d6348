#include "pollux/services/control.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "support.h"

namespace pollux {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Control : public ::testing::Test {
 protected:
  void serve(ControlServer::Handler handler) {
    auto opened = ControlServer::open(socket_, std::move(handler));
    ASSERT_TRUE(opened) << opened.error().text;
    server_ = *std::move(opened);
  }
  std::vector<std::string> call(const std::string& command) {
    std::vector<std::string> lines;
    const auto called = control_call(socket_, command, 30s, [&](const std::string& line) {
      lines.push_back(line);
      return true;
    });
    EXPECT_TRUE(called) << called.error().text;
    return lines;
  }
  int connect_raw() {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, socket_.c_str());
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }

  testing::TestDirectory home_;
  std::filesystem::path socket_ = home_.path() / "control";
  std::unique_ptr<ControlServer> server_;
};

void echo(const std::string& command, const ControlServer::Reply& reply) {
  reply(R"({"echo": ")" + command + R"("})");
  reply(R"({"done": true})");
}

TEST_F(Control, StreamsLinesUntilTheLast) {
  serve(echo);
  EXPECT_THAT(call("hello"), ElementsAre(R"({"echo": "hello"})", R"({"done": true})"));
  EXPECT_THAT(call("again"), ElementsAre(R"({"echo": "again"})", R"({"done": true})"));
}

TEST_F(Control, OnlyItsOwnerMayConnect) {
  serve(echo);
  const auto mode = std::filesystem::status(socket_).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(Control, AFollowerDoesNotHoldUpOthers) {
  std::atomic<bool> following{false}, gone{false};
  serve([&](const std::string& command, const ControlServer::Reply& reply) {
    if (command != "follow") return echo(command, reply);
    following = true;
    while (reply("")) std::this_thread::sleep_for(1ms);
    gone = true;
  });
  const int follower = connect_raw();
  ASSERT_EQ(::write(follower, "follow\n", 7), 7);
  ASSERT_TRUE(testing::eventually([&] { return following.load(); }));
  EXPECT_EQ(call("quick").size(), 2U);
  ::close(follower);
  EXPECT_TRUE(testing::eventually([&] { return gone.load(); }));
}

TEST_F(Control, EndsWhileAHandlerFollows) {
  std::atomic<bool> following{false};
  serve([&](const std::string&, const ControlServer::Reply& reply) {
    following = true;
    while (reply("")) std::this_thread::sleep_for(1ms);
  });
  const int follower = connect_raw();
  ASSERT_EQ(::write(follower, "follow\n", 7), 7);
  ASSERT_TRUE(testing::eventually([&] { return following.load(); }));
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(socket_));
  ::close(follower);
}

TEST_F(Control, ALineWithoutAnEndIsRefusedInOneLine) {
  serve(echo);
  const int fd = connect_raw();
  const std::string flood(2 * control_line_bytes_max, 'x');
  static_cast<void>(!::send(fd, flood.data(), flood.size(), MSG_NOSIGNAL));
  std::string answer;
  char part[512];
  for (ssize_t count = 0; (count = ::read(fd, part, sizeof part)) > 0;)
    answer.append(part, static_cast<std::size_t>(count));
  EXPECT_THAT(answer, HasSubstr("too_large"));
  ::close(fd);
  EXPECT_EQ(call("still there").size(), 2U);
}

TEST_F(Control, ManyCallersAreServedThoughFewAtATime) {
  serve(echo);
  std::vector<int> idle;
  for (std::size_t i = 0; i < control_connections_max - 1; ++i) idle.push_back(connect_raw());
  EXPECT_EQ(call("one more").size(), 2U);
  for (const int fd : idle) ::close(fd);
  EXPECT_EQ(call("and again").size(), 2U);
}

TEST_F(Control, APathThatIsTooLongForASocketIsOneClearLine) {
  const auto path = home_.path() / std::string(control_path_bytes_max, 'x');
  const auto served = ControlServer::open(path, echo);
  ASSERT_FALSE(served);
  EXPECT_EQ(served.error().code, Code::bad_config);
  EXPECT_THAT(served.error().text, HasSubstr("107"));
  const auto called = control_call(path, "{}", 1s, [](const std::string&) { return true; });
  ASSERT_FALSE(called);
  EXPECT_THAT(called.error().text, HasSubstr("107"));
}

TEST_F(Control, NobodyThereIsUnreachable) {
  const auto called = control_call(socket_, "{}", 1s, [](const std::string&) { return true; });
  ASSERT_FALSE(called);
  EXPECT_EQ(called.error().code, Code::unreachable);
}

TEST_F(Control, ASilentServerIsGivenUpInTime) {
  serve([](const std::string&, const ControlServer::Reply& reply) {
    while (reply("")) std::this_thread::sleep_for(1ms);
  });
  const auto called = control_call(socket_, "{}", 50ms, [](const std::string&) { return true; });
  ASSERT_FALSE(called);
  EXPECT_EQ(called.error().code, Code::deadline_exceeded);
  EXPECT_THAT(called.error().text, HasSubstr("50 ms"));
}

TEST_F(Control, AStoppedServerIsGivenUpInTimeHoweverOftenItWasAsked) {
  const int stopped = ::socket(AF_UNIX, SOCK_STREAM, 0);  // never accepts, as after SIGSTOP
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, socket_.c_str());
  ASSERT_EQ(::bind(stopped, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(stopped, 1), 0);
  for (int i = 0; i < 4; ++i) {  // the callers fill its backlog
    const auto called = control_call(socket_, "{}", 50ms, [](const std::string&) { return true; });
    ASSERT_FALSE(called);
    EXPECT_EQ(called.error().code, Code::deadline_exceeded);
  }
  const auto second = ControlServer::open(socket_, echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::in_use);
  ::close(stopped);
}

TEST_F(Control, ASecondServerOnTheSocketIsRefusedAndAStaleFileIsReplaced) {
  serve(echo);
  const auto second = ControlServer::open(socket_, echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::in_use);
  server_.reset();
  {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, socket_.c_str());
    ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ::close(fd);  // the file stays, as after a kill
  }
  serve(echo);
  EXPECT_EQ(call("new").size(), 2U);
}

TEST_F(Control, AFileThatIsNoSocketIsNotTouched) {
  std::ofstream(socket_) << "precious";
  const auto served = ControlServer::open(socket_, echo);
  ASSERT_FALSE(served);
  EXPECT_TRUE(std::filesystem::exists(socket_));
}

}  // namespace
}  // namespace pollux
