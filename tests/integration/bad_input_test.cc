// Bad input from outside: each gets one clear line that says what to do, and costs nothing that was stored.
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

#include <fstream>
#include <random>

#include "integration/pair_under_test.h"
#include "pollux/ledger/ledger.h"
#include "pollux/proto/message_codec.h"

namespace pollux::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::string deposit_request() { return ledger::encode(ledger::Request(ledger::Deposit{1, 1, "bad input"})); }

// A stranger's ZeroMQ socket at a member's endpoint.
class Stranger {
 public:
  explicit Stranger(const std::string& endpoint)
      : context_(zmq_ctx_new()), socket_(zmq_socket(context_, ZMQ_DEALER)) {
    const int none = 0, limit_ms = 20000;
    zmq_setsockopt(socket_, ZMQ_LINGER, &none, sizeof none);
    zmq_setsockopt(socket_, ZMQ_RCVTIMEO, &limit_ms, sizeof limit_ms);
    zmq_setsockopt(socket_, ZMQ_SNDTIMEO, &limit_ms, sizeof limit_ms);
    EXPECT_EQ(zmq_connect(socket_, endpoint.c_str()), 0);
  }
  ~Stranger() {
    zmq_close(socket_);
    zmq_ctx_term(context_);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  void send(const std::string& bytes, int flags = 0) {
    EXPECT_GE(zmq_send(socket_, bytes.data(), bytes.size(), flags), 0) << zmq_strerror(errno);
  }
  // The next answer that is no news; its code, or `unreachable` if there is none.
  Code answer() {
    for (;;) {
      char bytes[65536];
      const int size = zmq_recv(socket_, bytes, sizeof bytes, 0);
      if (size < 0) return Code::unreachable;
      const auto reply = decode_reply({bytes, static_cast<std::size_t>(size)});
      if (!reply) return reply.error().code;
      if (reply->code != Code::ok || reply->number != 0) return reply->code;
    }
  }

 private:
  void* context_;
  void* socket_;
};

class BadInputTest : public PairUnderTest {
 protected:
  void SetUp() override {
    start();
    if (!HasFatalFailure()) start_load();
  }
  // The runs must be the same at the end: no member was ended by what it was sent.
  void run_and_check(const std::function<void()>& harm) {
    const auto a = status(0).run, b = status(1).run;
    harm();
    wait_for_answers();
    EXPECT_EQ(status(0).run, a);
    EXPECT_EQ(status(1).run, b);
    check_everything();
  }
  const std::string& endpoint(std::size_t member) { return pair().pair().members[member].listen; }
  const std::string& heartbeat_endpoint(std::size_t member) {
    return pair().pair().members[member].listen_heartbeat;
  }
  Code call_code(const PairAddress& address, const std::string& payload) {
    auto requester = Requester::open(
        address, {.deadline = std::chrono::seconds(20), .connect_within = std::chrono::seconds(3)});
    if (!requester) return requester.error().code;
    const auto result = (*requester)->call(payload);
    return result ? result->code : result.error().code;
  }
};

// Bytes that are not even ZeroMQ.
TEST_F(BadInputTest, GarbageOnTheSocketsIsDropped) {
  run_and_check([this] {
    std::mt19937_64 random(3);
    for (const std::size_t member : {0, 1}) {
      for (const auto& target :
           {endpoint(member), heartbeat_endpoint(member), "ipc://" + pair().control(member).string()}) {
        for (int round = 0; round < 5; ++round) {
          const std::string path = target.substr(std::string("ipc://").size());
          sockaddr_un address{};
          address.sun_family = AF_UNIX;
          path.copy(address.sun_path, sizeof address.sun_path - 1);
          const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
          ASSERT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
          std::string garbage(static_cast<std::size_t>(1) << (4 * round), 0);
          for (auto& byte : garbage) byte = static_cast<char>(random());
          // The other end may hang up at the first wrong byte.
          static_cast<void>(send(fd, garbage.data(), garbage.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
          close(fd);
        }
      }
    }
  });
}

TEST_F(BadInputTest, MalformedMessagesAreAnsweredAndCounted) {
  run_and_check([this] {
    for (const std::size_t member : {0, 1}) {
      Stranger stranger(endpoint(member));
      stranger.send("hello, are you a web server?");
      EXPECT_EQ(stranger.answer(), Code::malformed);
      stranger.send("");
      EXPECT_EQ(stranger.answer(), Code::malformed);
      stranger.send("two", ZMQ_SNDMORE);
      stranger.send("parts");
      EXPECT_EQ(stranger.answer(), Code::malformed);
      // A good message, cut off at every length, and with each of its bytes changed.
      RequesterMessage good{
          .cluster = pair().config().cluster, .pair = "ledger", .number = 9, .body = RequesterHello{}};
      const auto bytes = encode(good);
      for (std::size_t length = 0; length < bytes.size(); ++length) stranger.send(bytes.substr(0, length));
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        auto changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 0x41);
        stranger.send(changed);
      }
      Stranger at_heartbeat(heartbeat_endpoint(member));
      at_heartbeat.send(bytes);
      at_heartbeat.send("garbage");
    }
  });
}

TEST_F(BadInputTest, AnotherProtocolVersionIsRefusedByName) {
  run_and_check([this] {
    RequesterMessage message{
        .cluster = pair().config().cluster, .pair = "ledger", .number = 9, .body = OpenSession{}};
    auto bytes = encode(message);
    bytes[4] = static_cast<char>(protocol_version + 1);  // after "PLX" and the kind of message
    Stranger stranger(endpoint(0));
    stranger.send(bytes);
    EXPECT_EQ(stranger.answer(), Code::wrong_version);
  });
}

TEST_F(BadInputTest, AnUnknownPairIsRefused) {
  run_and_check([this] {
    auto address = pair().address();
    address.pair = "nobody";
    EXPECT_EQ(call_code(address, deposit_request()), Code::unknown_pair);
  });
}

TEST_F(BadInputTest, AnotherClustersRequesterIsRefused) {
  run_and_check([this] {
    auto address = pair().address();
    address.cluster.bytes[0] ^= 1;
    EXPECT_EQ(call_code(address, deposit_request()), Code::wrong_cluster);
  });
}

TEST_F(BadInputTest, AnOversizedRequestIsTooLarge) {
  run_and_check([this] {
    const auto limit = pair().pair().options.request_bytes_max;
    EXPECT_EQ(call_code(pair().address(), std::string(limit + 1, 'x')), Code::too_large);
  });
}

// Above the sockets' own limit: the connection is closed, whoever sent it.
TEST_F(BadInputTest, AMessageOfAbsurdSizeCostsItsSenderTheConnection) {
  run_and_check([this] {
    Stranger stranger(endpoint(primary()));
    stranger.send(std::string(80u << 20, 'x'));
  });
}

TEST_F(BadInputTest, ARequestThatTheServiceCantReadIsAnInvalidArgument) {
  run_and_check([this] {
    EXPECT_EQ(call_code(pair().address(), "\xff\xff no ledger request"), Code::invalid_argument);
  });
}

TEST_F(BadInputTest, AnUnknownSessionIsAnExpiredOneAndNothingIsExecuted) {
  run_and_check([this] {
    RequesterMessage message{.cluster = pair().config().cluster, .pair = "ledger", .number = 9};
    Request request{.deadline = std::chrono::seconds(10), .payload = deposit_request()};
    request.sync.session.bytes.fill(7);
    request.sync.seq = 1;
    message.body = request;
    Stranger stranger(endpoint(primary()));
    stranger.send(encode(message));
    EXPECT_EQ(stranger.answer(), Code::session_expired);
  });
}

TEST_F(BadInputTest, ASecondMemberOfTheSameNameIsToldWhoHasTheDirectory) {
  run_and_check([this] {
    const auto second = run_pollux({"--config", pair().config_file().string(), "member", "ledger", "a"});
    EXPECT_EQ(second.exit_code, 4) << second.output;
    EXPECT_EQ(lines_in(second.output), 1u) << second.output;
    EXPECT_THAT(second.output, HasSubstr(std::to_string(status(0).pid))) << "it must say who has it";
  });
}

TEST_F(BadInputTest, ASecondNodeIsToldThatTheDataDirectoryIsInUse) {
  run_and_check([this] {
    const auto second = run_pollux({"--config", pair().config_file().string(), "node"});
    EXPECT_EQ(second.exit_code, 4) << second.output;
    EXPECT_EQ(lines_in(second.output), 1u) << second.output;
    EXPECT_THAT(second.output, HasSubstr(std::to_string(pair().node()->pid()))) << "it must say who has it";
  });
}

// Another cluster's files in a member's place: not taken, not touched.
TEST_F(BadInputTest, AnotherClustersMemberIsRefused) {
  const auto home = std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-other-"));
  const auto config = home->path() / "pollux.toml";
  std::ofstream(config) << "data = \"data\"\n[[pair]]\nname = \"ledger\"\nservice = \"ledger\"\n"
                        << "[[pair.member]]\nname = \"a\"\ndirectory = \""
                        << pair().pair().members[0].directory.string()
                        << "\"\n[[pair.member]]\nname = \"b\"\n";
  // While the member runs its lock is in the way; when it is gone, its identity is.
  pair().node()->signal(SIGKILL);
  ASSERT_TRUE(pair().node()->wait(std::chrono::seconds(30)));
  ASSERT_TRUE(kill_and_wait(status(0).pid, std::chrono::seconds(30)));
  const auto refused = run_pollux({"--config", config.string(), "member", "ledger", "a"});
  EXPECT_EQ(refused.exit_code, 3) << refused.output;
  EXPECT_EQ(lines_in(refused.output), 1u) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("cluster"));
  ASSERT_TRUE(pair().start_node());
  wait_in_sync();
  check_everything();
}

struct BadConfigCase {
  const char* name;
  const char* text;
  const char* expected;
};
class BadConfigTest : public ::testing::TestWithParam<BadConfigCase> {};

TEST_P(BadConfigTest, IsOneLineWithFileLineAndKey) {
  const auto home = std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-config-"));
  const auto file = home->path() / "pollux.toml";
  std::ofstream(file) << GetParam().text;
  for (const std::vector<std::string>& command : {std::vector<std::string>{"config", "check"}, {"node"}}) {
    auto arguments = std::vector<std::string>{"--config", file.string()};
    arguments.insert(arguments.end(), command.begin(), command.end());
    const auto result = run_pollux(arguments);
    EXPECT_EQ(result.exit_code, 3) << result.output;
    EXPECT_EQ(lines_in(result.output), 1u) << result.output;
    EXPECT_THAT(result.output, HasSubstr(file.string() + ":"));
    EXPECT_THAT(result.output, HasSubstr(GetParam().expected));
  }
  EXPECT_FALSE(fs::exists(home->path() / "data")) << "a bad configuration must not leave anything behind";
}

constexpr const char* pair_head = "data = \"data\"\n[[pair]]\nname = \"ledger\"\nservice = \"ledger\"\n";
std::string with_pair(const char* line) { return std::string(pair_head) + line + "\n"; }

INSTANTIATE_TEST_SUITE_P(
    Kinds, BadConfigTest,
    ::testing::Values(BadConfigCase{"UnknownKey", "data = \"data\"\nheartbeet = 3\n", "heartbeet"},
                      BadConfigCase{"NotToml", "data = \n", "pollux.toml:1"},
                      BadConfigCase{"WrongType", "data = 3\n", "data"},
                      BadConfigCase{"UnknownService",
                                    "data = \"data\"\n[[pair]]\nname = \"x\"\nservice = \"teapot\"\n",
                                    "teapot"}),
    [](const auto& config) { return config.param.name; });

TEST(BadConfig, AnUnsafeCombinationOfTimesIsRefused) {
  const auto home = std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-config-"));
  const auto file = home->path() / "pollux.toml";
  std::ofstream(file) << with_pair("grace_ms = 100\nlease_ms = 200");
  const auto result = run_pollux({"--config", file.string(), "config", "check"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, AnyOf(HasSubstr("grace_ms"), HasSubstr("lease_ms")));
}

}  // namespace
}  // namespace pollux::testing
