#include "pollux/ipc/member_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <set>

#include "pollux/proto/message_batch.h"
#include "pollux/proto/message_codec.h"
#include "scratch_directory.h"

namespace pollux {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScratchDirectory;

constexpr auto limit = 20s;

/// A raw ZeroMQ socket, as a requester or a stranger would have it.
class RawSocket {
 public:
  explicit RawSocket(const std::string& endpoint) {
    const int zero = 0;
    zmq_setsockopt(socket_, ZMQ_LINGER, &zero, sizeof zero);
    EXPECT_EQ(zmq_connect(socket_, endpoint.c_str()), 0);
  }
  ~RawSocket() {
    zmq_close(socket_);
    zmq_ctx_term(context_);
  }
  void send(const std::string& bytes, int flags = 0) {
    ASSERT_GE(zmq_send(socket_, bytes.data(), bytes.size(), flags), 0);
  }
  void send(const RequesterBody& body, std::uint64_t number = 1) {
    send(encode(RequesterMessage{ClusterId{{1}}, "ledger", number, body}));
  }
  /// The next frame, or none.
  std::optional<std::string> receive() {
    std::string bytes(1 << 16, '\0');
    const int size = zmq_recv(socket_, bytes.data(), bytes.size(), ZMQ_DONTWAIT);
    if (size < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(size));
    return bytes;
  }

 private:
  void* context_ = zmq_ctx_new();
  void* socket_ = zmq_socket(context_, ZMQ_DEALER);
};

/// A member's sockets with what they received.
struct Member {
  explicit Member(const MemberSocketOptions& options) : options_(options) {
    auto opened = MemberSocket::open(options);
    EXPECT_TRUE(opened.has_value()) << opened.error().text;
    if (opened) socket = std::move(*opened);
  }
  void poll(int timeout_ms = 5) { socket->poll(timeout_ms, -1, handlers); }

  MemberSocketOptions options_;
  std::unique_ptr<MemberSocket> socket;
  std::vector<PeerMessage> peers;
  std::vector<std::pair<Route, RequesterMessage>> requests;
  std::vector<std::string> refused;
  MemberSocket::Handlers handlers{
      .peer = [this](PeerMessage message) { peers.push_back(std::move(message)); },
      .requester = [this](Route route,
                          RequesterMessage message) { requests.emplace_back(route, std::move(message)); },
      .refused = [this](std::string text) { refused.push_back(std::move(text)); }};
};

/// Polls until `done`, or the test has failed.
void until(const std::vector<Member*>& members, const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "timed out";
    for (Member* member : members) member->poll();
  }
}

std::uint16_t free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(fd);
  static std::set<std::uint16_t> given;  // the kernel may offer the same one twice
  const std::uint16_t port = ntohs(address.sin_port);
  return given.insert(port).second ? port : free_port();
}

int connect_raw(const std::string& endpoint) {
  if (endpoint.starts_with("ipc://")) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, endpoint.c_str() + 6, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
  EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

enum class Transport { ipc, tcp };

/// Both members of a pair, over Unix sockets and over TCP.
class MemberSocketTest : public ::testing::TestWithParam<Transport> {
 protected:
  std::string endpoint(const std::string& name) {
    return GetParam() == Transport::ipc ? directory_.endpoint(name)
                                        : "tcp://127.0.0.1:" + std::to_string(free_port());
  }
  MemberSocketOptions a_options_{};
  MemberSocketOptions b_options_{};
  void SetUp() override {
    a_options_ = {.listen = endpoint("a"),
                  .listen_heartbeat = endpoint("ah"),
                  .peer = endpoint("b"),
                  .peer_heartbeat = endpoint("bh")};
    b_options_ = {.listen = a_options_.peer,
                  .listen_heartbeat = a_options_.peer_heartbeat,
                  .peer = a_options_.listen,
                  .peer_heartbeat = a_options_.listen_heartbeat};
  }
  static PeerMessage confirm(std::uint64_t number) {
    return {{ClusterId{{1}}, "ledger", Generation{1}, {}, Epoch{1}}, Confirm{number}};
  }
  static PeerMessage beat(std::uint64_t number) { return {{}, Heartbeat{.number = number}}; }

  ScratchDirectory directory_;
};

TEST_P(MemberSocketTest, MembersHearEachOther) {
  Member a(a_options_);
  Member b(b_options_);
  until({&a, &b}, [&] {
    a.socket->send(confirm(1));
    a.socket->send(beat(2));
    b.socket->send(confirm(3));
    return a.peers.size() >= 1 && b.peers.size() >= 6;
  });
  EXPECT_EQ(a.peers.front(), confirm(3));
  EXPECT_THAT(b.peers, ::testing::Contains(confirm(1)));
  EXPECT_THAT(b.peers, ::testing::Contains(beat(2)));
}

TEST_P(MemberSocketTest, NothingIsKeptForAPeerThatIsNotThere) {
  Member a(a_options_);
  for (std::uint64_t i = 0; i < 100; ++i) a.socket->send(confirm(i));
  EXPECT_EQ(a.socket->counters().dropped, 100u);
  Member b(b_options_);
  until({&a, &b}, [&] {
    a.socket->send(confirm(1000));
    return !b.peers.empty();
  });
  for (const PeerMessage& message : b.peers) EXPECT_EQ(message, confirm(1000));
}

TEST_P(MemberSocketTest, FindsAPeerThatRestarted) {
  Member a(a_options_);
  for (std::uint64_t run = 1; run <= 3; ++run) {
    Member b(b_options_);
    until({&a, &b}, [&] {
      a.socket->send(confirm(run));
      return !b.peers.empty() && b.peers.back() == confirm(run);
    });
  }
}

TEST_P(MemberSocketTest, AnswersGoToTheRequesterThatAsked) {
  Member a(a_options_);
  RawSocket one(a_options_.listen);
  RawSocket two(a_options_.listen);
  one.send(OpenSession{}, 11);
  until({&a}, [&] { return a.requests.size() == 1; });
  two.send(RequesterHello{}, 22);
  until({&a}, [&] { return a.requests.size() == 2; });
  EXPECT_EQ(a.requests[0].second.number, 11u);
  EXPECT_NE(a.requests[0].first, a.requests[1].first);
  one.send(RequesterHello{}, 12);
  until({&a}, [&] { return a.requests.size() == 3; });
  EXPECT_EQ(a.requests[2].first, a.requests[0].first) << "a route stays the same";

  a.socket->send(a.requests[1].first, RequesterReply{.number = 22, .payload = "two"});
  std::optional<std::string> bytes;
  until({&a}, [&] { return (bytes = two.receive()).has_value(); });
  EXPECT_EQ(decode_reply(*bytes).value().payload, "two");
  EXPECT_EQ(one.receive(), std::nullopt);
}

TEST_P(MemberSocketTest, NewsReachEveryRequester) {
  Member a(a_options_);
  RawSocket one(a_options_.listen);
  RawSocket two(a_options_.listen);
  one.send(RequesterHello{});
  two.send(RequesterHello{});
  until({&a}, [&] { return a.requests.size() == 2; });
  EXPECT_EQ(a.socket->requesters(), 2u);
  a.socket->announce(RequesterReply{.epoch = Epoch{7}, .serving = true});
  for (RawSocket* requester : {&one, &two}) {
    std::optional<std::string> bytes;
    until({&a}, [&] { return (bytes = requester->receive()).has_value(); });
    EXPECT_EQ(decode_reply(*bytes).value().epoch, Epoch{7});
  }
}

TEST_P(MemberSocketTest, ForgetsTheRequesterThatWasSilentLongest) {
  a_options_.requesters_max = 2;
  Member a(a_options_);
  RawSocket one(a_options_.listen);
  RawSocket two(a_options_.listen);
  RawSocket three(a_options_.listen);
  std::size_t count = 0;
  for (RawSocket* requester : {&one, &two, &one, &three}) {
    requester->send(RequesterHello{});
    ++count;
    until({&a}, [&] { return a.requests.size() == count; });
  }
  EXPECT_EQ(a.socket->requesters(), 2u);
  a.socket->send(a.requests[1].first, RequesterReply{});
  EXPECT_EQ(a.socket->counters().unroutable, 1u);
  a.socket->send(a.requests[0].first, RequesterReply{});
  a.socket->send(a.requests[3].first, RequesterReply{});
  EXPECT_EQ(a.socket->counters().unroutable, 1u);
}

TEST_P(MemberSocketTest, ARequesterThatLeftIsUnroutable) {
  Member a(a_options_);
  {
    RawSocket gone(a_options_.listen);
    gone.send(RequesterHello{});
    until({&a}, [&] { return a.requests.size() == 1; });
  }
  until({&a}, [&] {
    a.socket->send(a.requests[0].first, RequesterReply{});
    return a.socket->counters().unroutable > 0;
  });
  EXPECT_EQ(a.socket->requesters(), 0u);
}

TEST_P(MemberSocketTest, AMalformedMessageIsAnsweredAndCounted) {
  Member a(a_options_);
  RawSocket stranger(a_options_.listen);
  std::string other_version = encode(RequesterMessage{.body = RequesterHello{}});
  other_version[4] = 9;
  const std::vector<std::pair<std::string, Code>> cases = {
      {"hello", Code::malformed},
      {"", Code::malformed},
      {encode(RequesterMessage{.body = RequesterHello{}}) + "\xff", Code::malformed},
      {other_version, Code::wrong_version},
  };
  for (const auto& [bytes, code] : cases) {
    stranger.send(bytes);
    std::optional<std::string> answer;
    until({&a}, [&] { return (answer = stranger.receive()).has_value(); });
    const auto reply = decode_reply(*answer);
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->number, 0u);
    EXPECT_EQ(reply->code, code);
    EXPECT_EQ(reply->payload, a.refused.back());
  }
  EXPECT_EQ(a.socket->counters().malformed, 3u);
  EXPECT_EQ(a.socket->counters().wrong_version, 1u);
  EXPECT_EQ(a.socket->counters().received, 4u);

  stranger.send("one", ZMQ_SNDMORE);
  stranger.send("two", ZMQ_SNDMORE);
  stranger.send("three");
  until({&a}, [&] { return a.refused.size() == 5; });
  EXPECT_THAT(a.refused.back(), HasSubstr("more than one part"));

  stranger.send(RequesterHello{}, 5);
  until({&a}, [&] { return a.requests.size() == 1; });
  EXPECT_EQ(a.requests[0].second.number, 5u);
}

TEST_P(MemberSocketTest, MessagesInABatchAreTakenOneByOne) {
  Member a(a_options_);
  RawSocket stranger(a_options_.listen);
  MessageBatch batch;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    batch.add(encode(RequesterMessage{ClusterId{{1}}, "ledger", number, RequesterHello{}}));
  }
  const std::string good = batch.take();
  stranger.send(good);
  until({&a}, [&] { return a.requests.size() == 3; });
  EXPECT_EQ(a.requests[2].second.number, 3u);
  EXPECT_EQ(a.requests[0].first, a.requests[2].first) << "all of one requester";

  stranger.send(good.substr(0, good.size() - 1));
  until({&a}, [&] { return a.refused.size() == 1; });
  EXPECT_THAT(a.refused.back(), HasSubstr("malformed batch"));
  EXPECT_EQ(a.requests.size(), 3u) << "nothing of a broken batch is used";
}

TEST_P(MemberSocketTest, HeldRepliesLeaveTogetherAndInOrder) {
  Member a(a_options_);
  RawSocket one(a_options_.listen), other(a_options_.listen);
  one.send(RequesterHello{}, 1);
  until({&a}, [&] { return a.requests.size() == 1; });
  other.send(RequesterHello{}, 2);
  until({&a}, [&] { return a.requests.size() == 2; });
  const Route to_one = a.requests[0].first, to_other = a.requests[1].first;

  a.socket->hold_replies();
  a.socket->send(to_one, {.number = 11});
  a.socket->send(to_other, {.number = 21});
  a.socket->send(to_one, {.number = 12});
  a.socket->send(to_one, {.number = 13});
  a.socket->release_replies();
  const auto numbers = [&](RawSocket& socket) {
    std::optional<std::string> bytes;
    until({&a}, [&] { return (bytes = socket.receive()).has_value(); });
    std::vector<std::uint64_t> found;
    const auto count = for_each_message(
        bytes.value_or(""), [&](std::string_view each) { found.push_back(decode_reply(each).value().number); });
    EXPECT_TRUE(count.has_value());
    return found;
  };
  EXPECT_THAT(numbers(one), ElementsAre(11, 12, 13));
  EXPECT_THAT(numbers(other), ElementsAre(21));
}

TEST_P(MemberSocketTest, AReplyIsNeverAnswered) {
  Member a(a_options_);
  RawSocket stranger(a_options_.listen);
  std::string other_version = encode(RequesterReply{});
  other_version[4] = 9;
  stranger.send(encode(RequesterReply{}));
  stranger.send(other_version);
  stranger.send("garbage");
  until({&a}, [&] { return a.refused.size() == 3; });
  std::optional<std::string> answer;
  until({&a}, [&] { return (answer = stranger.receive()).has_value(); });
  EXPECT_THAT(decode_reply(*answer).value().payload, HasSubstr("does not come from Pollux"))
      << "the garbage's";
}

TEST_P(MemberSocketTest, RequestersDoNotBelongAtTheHeartbeatEndpoint) {
  Member a(a_options_);
  RawSocket lost(a_options_.listen_heartbeat);
  lost.send(RequesterHello{});
  until({&a}, [&] { return !a.refused.empty(); });
  EXPECT_TRUE(a.requests.empty());
}

TEST_P(MemberSocketTest, APeerOfAnotherVersionIsToldAndHeardOf) {
  // b is played by a ROUTER that refuses everything.
  void* context = zmq_ctx_new();
  void* router = zmq_socket(context, ZMQ_ROUTER);
  const int zero = 0;
  zmq_setsockopt(router, ZMQ_LINGER, &zero, sizeof zero);
  ASSERT_EQ(zmq_bind(router, a_options_.peer.c_str()), 0);
  {
    Member a(a_options_);
    until({&a}, [&] {
      a.socket->send(confirm(1));
      char id[256];
      const int size = zmq_recv(router, id, sizeof id, ZMQ_DONTWAIT);
      if (size > 0) {
        zmq_recv(router, nullptr, 0, 0);
        const std::string refusal =
            encode(RequesterReply{.code = Code::wrong_version, .payload = "version 1 is too old"});
        zmq_send(router, id, static_cast<std::size_t>(size), ZMQ_SNDMORE);
        zmq_send(router, refusal.data(), refusal.size(), 0);
      }
      return !a.refused.empty();
    });
    EXPECT_THAT(a.refused[0], HasSubstr("version 1 is too old"));
  }
  zmq_close(router);
  zmq_ctx_term(context);
}

TEST_P(MemberSocketTest, GarbageOnTheRawSocketDisturbsNobody) {
  Member a(a_options_);
  RawSocket good(a_options_.listen);
  std::mt19937 random(1);
  std::vector<int> open;
  for (int i = 0; i < 30; ++i) {
    const int fd = connect_raw(i % 2 == 0 ? a_options_.listen : a_options_.listen_heartbeat);
    std::string bytes = i % 3 == 0 ? "GET / HTTP/1.1\r\nHost: pollux\r\n\r\n" : std::string();
    // The beginning of a ZMTP greeting, then nonsense.
    if (i % 3 == 1) bytes = std::string("\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL", 16) + std::string(48, '\0');
    while (bytes.size() < 500) bytes.push_back(static_cast<char>(random()));
    static_cast<void>(!::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    if (i % 2 == 0) {
      ::close(fd);
    } else {
      open.push_back(fd);  // says nothing more
    }
    good.send(RequesterHello{}, static_cast<std::uint64_t>(i));
  }
  until({&a}, [&] { return a.requests.size() == 30; });
  EXPECT_TRUE(a.peers.empty());
  for (const int fd : open) ::close(fd);
}

// libzmq aborts its process if a peer of ZMTP 1.0 or 2.0 gives its name as its pipe ends.
TEST_P(MemberSocketTest, PeersOfOlderProtocolsAreTurnedAway) {
  Member a(a_options_);
  const std::string version_1("\x05\0me!!", 6);
  const std::string version_2("\xff\0\0\0\0\0\0\0\1\x7f\1\5\0\4name", 18);
  for (const std::string& greeting : {version_1, version_2}) {
    const int fd = connect_raw(a_options_.listen);
    const timeval wait{.tv_sec = 2, .tv_usec = 0};  // at once, not when the time for a handshake is over
    ASSERT_EQ(::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait), 0);
    ASSERT_EQ(::send(fd, greeting.data(), greeting.size(), MSG_NOSIGNAL), std::ssize(greeting));
    std::array<char, 64> bytes;
    ssize_t size = 0;
    do {
      size = ::recv(fd, bytes.data(), bytes.size(), 0);
    } while (size > 0);  // its own greeting
    EXPECT_TRUE(size == 0 || errno == ECONNRESET) << std::strerror(errno);
    ::close(fd);
  }
}

TEST_P(MemberSocketTest, AMessageAboveTheLimitClosesItsConnectionOnly) {
  a_options_.message_bytes_max = 100000;
  Member a(a_options_);
  RawSocket good(a_options_.listen);
  {
    RawSocket bad(a_options_.listen);
    bad.send(std::string(100001, 'x'));
    good.send(Query{.payload = std::string(90000, 'x')}, 1);
    until({&a}, [&] { return a.requests.size() == 1; });
  }
  good.send(RequesterHello{}, 2);
  until({&a}, [&] { return a.requests.size() == 2; });
  EXPECT_TRUE(a.refused.empty()) << "it never came as far as here";
}

TEST_P(MemberSocketTest, HandsOverAtMostABatch) {
  Member a(a_options_);
  RawSocket requester(a_options_.listen);
  for (std::uint64_t i = 1; i <= 10; ++i) requester.send(RequesterHello{}, i);
  bool more = true;
  until({}, [&] {
    const std::size_t before = a.requests.size();
    more = a.socket->poll(5, -1, a.handlers, 3);
    EXPECT_LE(a.requests.size() - before, 3u);
    EXPECT_EQ(more, a.requests.size() - before == 3);
    return a.requests.size() == 10;
  });
}

TEST_P(MemberSocketTest, WakesUpForTheEventfd) {
  Member a(a_options_);
  const int fd = ::eventfd(1, EFD_CLOEXEC);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(a.socket->poll(30000, fd, a.handlers));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  ::close(fd);
}

INSTANTIATE_TEST_SUITE_P(Over, MemberSocketTest, ::testing::Values(Transport::ipc, Transport::tcp),
                         [](const auto& over) { return over.param == Transport::ipc ? "Ipc" : "Tcp"; });

// --- Files and endpoints.

class SocketFileTest : public ::testing::Test {
 protected:
  MemberSocketOptions options() {
    return {.listen = directory_.endpoint("a"),
            .listen_heartbeat = directory_.endpoint("ah"),
            .peer = directory_.endpoint("b"),
            .peer_heartbeat = directory_.endpoint("bh")};
  }
  std::string refusal(const MemberSocketOptions& options, Code code) {
    const auto opened = MemberSocket::open(options);
    if (opened) return "opened";
    EXPECT_EQ(opened.error().code, code) << opened.error().text;
    EXPECT_EQ(opened.error().text.find('\n'), std::string::npos);
    return opened.error().text;
  }
  ScratchDirectory directory_;
};

TEST_F(SocketFileTest, IsPrivateAndRemovedAtTheEnd) {
  {
    const Member a(options());
    for (const char* name : {"a", "ah"}) {
      struct stat status{};
      ASSERT_EQ(::stat((directory_.path() / name).c_str(), &status), 0);
      EXPECT_TRUE(S_ISSOCK(status.st_mode));
      EXPECT_EQ(status.st_mode & 0777, 0600u);
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(SocketFileTest, OfAKilledProcessIsReplaced) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto opened = MemberSocket::open(options());
    ::_exit(opened ? 0 : 1);  // leaves the files behind, as SIGKILL does
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(std::filesystem::exists(directory_.path() / "a"));
  Member a(options());
  RawSocket requester(options().listen);
  requester.send(RequesterHello{});
  until({&a}, [&] { return a.requests.size() == 1; });
}

TEST_F(SocketFileTest, OfALivingProcessIsInUse) {
  Member a(options());
  EXPECT_THAT(refusal(options(), Code::in_use), HasSubstr("another process listens there"));
  RawSocket requester(options().listen);
  requester.send(RequesterHello{});
  until({&a}, [&] { return a.requests.size() == 1; });
}

TEST_F(SocketFileTest, IsNotPutInPlaceOfAnotherFile) {
  std::ofstream(directory_.path() / "a") << "precious";
  EXPECT_THAT(refusal(options(), Code::io_error), HasSubstr("it is no socket"));
  EXPECT_EQ(std::filesystem::file_size(directory_.path() / "a"), 8u);
}

TEST_F(SocketFileTest, NeedsItsDirectory) {
  auto missing = options();
  missing.listen = directory_.endpoint("nowhere/a");
  EXPECT_THAT(refusal(missing, Code::io_error), HasSubstr("make the directory"));
}

TEST_F(SocketFileTest, WithAPathTooLongIsRefusedInOneLine) {
  auto longest = options();
  const std::size_t room = 107 - directory_.path().native().size() - 1;
  longest.listen = directory_.endpoint(std::string(room, 'x'));
  EXPECT_TRUE(MemberSocket::open(longest).has_value());
  for (std::string MemberSocketOptions::* endpoint :
       {&MemberSocketOptions::listen, &MemberSocketOptions::listen_heartbeat, &MemberSocketOptions::peer,
        &MemberSocketOptions::peer_heartbeat}) {
    auto longer = options();
    longer.*endpoint = directory_.endpoint(std::string(room + 1, 'x'));
    EXPECT_THAT(refusal(longer, Code::bad_config), HasSubstr("at most 107"));
  }
}

TEST_F(SocketFileTest, EndpointsThatAreNoneAreRefused) {
  for (const char* bad :
       {"", "a", "ipc://", "tcp://127.0.0.1", "tcp://127.0.0.1:0", "tcp://127.0.0.1:70000", "udp://x:1"}) {
    auto wrong = options();
    wrong.listen = bad;
    EXPECT_NE(refusal(wrong, Code::bad_config), "opened") << bad;
  }
}

TEST_F(SocketFileTest, APortInUseIsNamed) {
  auto first = options();
  first.listen = "tcp://127.0.0.1:" + std::to_string(free_port());
  const Member a(first);
  auto second = first;
  second.listen_heartbeat = directory_.endpoint("other");
  EXPECT_THAT(refusal(second, Code::in_use), HasSubstr(first.listen));
}

}  // namespace
}  // namespace pollux
