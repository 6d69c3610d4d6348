// `pollux bench` between two hosts: two network namespaces with a cable between them, which is pulled.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "integration/bench_result.h"
#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::chrono::seconds patience(120);

bool shell(const std::string& command) { return std::system((command + " 2>/dev/null").c_str()) == 0; }

// Two hosts, a and b, named after this process, so that tests at the same time don't meet.
class TwoHosts {
 public:
  TwoHosts() {
    made_ = shell("ip netns add " + name('a')) && shell("ip netns add " + name('b')) &&
            shell("ip -n " + name('a') + " link add eth type veth peer name eth netns " + name('b')) &&
            shell("ip -n " + name('a') + " addr add 192.0.2.1/24 dev eth") &&
            shell("ip -n " + name('b') + " addr add 192.0.2.2/24 dev eth");
    for (const char host : {'a', 'b'}) {
      made_ = made_ && shell("ip -n " + name(host) + " link set lo up") &&
              shell("ip -n " + name(host) + " link set eth up");
    }
  }
  ~TwoHosts() {
    for (const char host : {'a', 'b'}) shell("ip netns del " + name(host));
  }
  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] std::vector<std::string> on(char host, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {"/usr/sbin/ip", "netns", "exec", name(host), pollux_command(), "bench"});
    return arguments;
  }
  void pull_cable() const { EXPECT_TRUE(shell("ip -n " + name('a') + " link set eth down")); }

 private:
  static std::string name(char host) { return "pxb" + std::to_string(getpid()) + host; }
  bool made_ = false;
};

class BenchTwoHostsTest : public ::testing::Test {
 protected:
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-bench-test-"));
  TwoHosts hosts_;

  void SetUp() override { ASSERT_TRUE(hosts_.made()) << "network namespaces need root and iproute2"; }
  std::unique_ptr<ChildProcess> start(char host, std::vector<std::string> arguments) {
    auto child = ChildProcess::start({.argv = hosts_.on(host, std::move(arguments)),
                                      .environment = {},
                                      .output = home_->path() / std::string(1, host)});
    EXPECT_TRUE(child) << child.error().text;
    return std::move(*child);
  }
  [[nodiscard]] std::string said(char host) const { return text_of(home_->path() / std::string(1, host)); }
  bool says(char host, const std::string& text) const {
    return SpawnedPair::wait_until([&] { return said(host).find(text) != std::string::npos; }, patience);
  }
};

TEST_F(BenchTwoHostsTest, MeasuresToAnotherHost) {
  auto peer = start('b', {"peer", "--listen", "192.0.2.2:7400"});
  ASSERT_TRUE(says('b', "192.0.2.2:7400"));
  auto bench = start('a', {"ipc", "--directory", home_->path().string(), "--peer", "192.0.2.2:7400", "--size",
                           "64,9000", "--runs", "1", "--messages", "200", "--json"});
  const auto status = bench->wait(patience);
  ASSERT_TRUE(status);
  const auto json = result_in(said('a'));
  for (const auto* const cell :
       {"transport=tcp bytes=64", "transport=tcp bytes=9000", "transport=zmq-tcp bytes=64"}) {
    EXPECT_GT(value_of(cell_with(json, cell), "round trip"), 0);
    EXPECT_FALSE(cell_with(json, cell).at("failed").as_bool());
  }
  EXPECT_EQ(cell_with(json, "transport=pipe").at("verdict").as_string(), "not available");
}

TEST_F(BenchTwoHostsTest, EndsWhenTheCableIsPulled) {
  auto peer = start('b', {"peer", "--listen", "192.0.2.2:7400"});
  ASSERT_TRUE(says('b', "192.0.2.2:7400"));
  auto bench = start('a', {"tcp",
                           "--directory",
                           home_->path().string(),
                           "--peer",
                           "192.0.2.2:7400",
                           "--mode",
                           "throughput",
                           "--library",
                           "raw",
                           "--size",
                           "4K",
                           "--runs",
                           "1",
                           "--messages",
                           "1000000000",
                           "--limit-ms",
                           "600000",
                           "--give-up-ms",
                           "1000",
                           "--json"});
  ASSERT_TRUE(says('a', "mode=throughput"));
  hosts_.pull_cable();
  const auto status = bench->wait(patience);
  ASSERT_TRUE(status) << "it hangs";
  EXPECT_EQ(WEXITSTATUS(*status), 3) << said('a');
  EXPECT_EQ(cell_with(result_in(said('a')), "mode=throughput").at("verdict").as_string(), "invalid");
}

}  // namespace
}  // namespace pollux::testing
