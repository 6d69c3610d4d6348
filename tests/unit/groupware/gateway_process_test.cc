// The gateway process: its lock file, its signals, and what it says when it can't start.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "certificate.h"
#include "gateway_fixture.h"
#include "pollux/groupware/gateway.h"

namespace pollux::testing {
namespace {

class GatewayProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/pollux-gateway-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory = name;
    config = default_config(directory);
    auto prepared = prepare_data_directory(config);
    ASSERT_TRUE(prepared) << prepared.error().text;
    gateway = config.gateways.at(0);
    gateway.listen = "127.0.0.1:0";
    gateway.gateway_wait_ms = 200;
  }
  void TearDown() override {
    for (const pid_t pid : children) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    std::filesystem::remove_all(directory);
  }

  /// Runs the gateway in a child; its stderr goes to a file.
  pid_t run() {
    const pid_t pid = ::fork();
    if (pid == 0) {
      FILE* errors = std::freopen((directory / "stderr").c_str(), "w", stderr);
      if (errors != nullptr) std::setvbuf(errors, nullptr, _IONBF, 0);
      const int code = errors != nullptr ? run_gateway(config, gateway) : 99;
      std::fflush(stderr);
      ::_exit(code);
    }
    children.push_back(pid);
    return pid;
  }
  int exit_code(pid_t pid) {
    int status = 0;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (::waitpid(pid, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > until) return -1;
      std::this_thread::yield();
      ::usleep(2000);
    }
    std::erase(children, pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// The port it listens on, once it does.
  std::uint16_t wait_until_listening() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < until) {
      const auto text = read(directory / "run" / (gateway.name + ".lock"));
      const auto at = text.find("listen=");
      if (at != std::string::npos && text.ends_with('\n')) {
        return static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
      }
      ::usleep(2000);
    }
    ADD_FAILURE() << "it never listened: " << read(directory / "stderr");
    return 0;
  }

  std::filesystem::path directory;
  Config config;
  GatewayConfig gateway;
  std::vector<pid_t> children;
};

TEST_F(GatewayProcessTest, SaysWhereItListensAndStopsOnSigterm) {
  const pid_t pid = run();
  const auto port = wait_until_listening();
  EXPECT_TRUE(
      read(directory / "run" / (gateway.name + ".lock")).starts_with("pid=" + std::to_string(pid) + "\n"));
  HttpClient client(port);
  client.login.clear();
  EXPECT_EQ(client.request("OPTIONS", "/").status, 200);
  client.login = "alice:x";
  const auto away = client.request("GET", "/");  // there is no pair
  EXPECT_EQ(away.status, 503);
  EXPECT_NE(away.header("retry-after"), "");
  ::kill(pid, SIGTERM);
  EXPECT_EQ(exit_code(pid), GatewayExit::stopped);
  EXPECT_EQ(read(directory / "stderr"), "");
}

TEST_F(GatewayProcessTest, TheSameGatewayDoesNotRunTwice) {
  const pid_t first = run();
  wait_until_listening();
  const pid_t second = run();
  EXPECT_EQ(exit_code(second), GatewayExit::in_use);
  const auto said = read(directory / "stderr");
  EXPECT_NE(said.find("pid=" + std::to_string(first)), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
}

TEST_F(GatewayProcessTest, ATakenPortIsOneLine) {
  run();
  gateway.listen = "127.0.0.1:" + std::to_string(wait_until_listening());
  gateway.name = "other";
  EXPECT_EQ(exit_code(run()), GatewayExit::in_use);
  const auto said = read(directory / "stderr");
  EXPECT_TRUE(said.starts_with("gateway other: The address 127.0.0.1:")) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
}

TEST_F(GatewayProcessTest, ABadConfigurationIsOneLine) {
  gateway.listen = "0.0.0.0:0";
  EXPECT_EQ(exit_code(run()), GatewayExit::bad_config);
  EXPECT_NE(read(directory / "stderr").find("TLS"), std::string::npos);
  gateway.listen = "127.0.0.1:0";
  gateway.pair = "nothing";
  EXPECT_EQ(exit_code(run()), GatewayExit::bad_config);
  EXPECT_NE(read(directory / "stderr").find("nothing"), std::string::npos);
}

TEST_F(GatewayProcessTest, ACertificateIsReadAgainAtSighupAndABadOneIsOneLine) {
  if (!has_program("openssl")) GTEST_SKIP() << "openssl is not installed";
  const auto first = make_certificate(directory, "first"), second = make_certificate(directory, "second");
  gateway.tls_certificate = first.certificate;
  gateway.tls_key = first.key;
  const pid_t pid = run();
  const auto address = "127.0.0.1:" + std::to_string(wait_until_listening());
  const auto shown = [&] {
    return output_of("timeout 60 openssl s_client -connect " + address + " </dev/null");
  };
  const auto wait_for_line = [&](const std::string& text) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (read(directory / "stderr").find(text) == std::string::npos &&
           std::chrono::steady_clock::now() < until) {
      ::usleep(2000);
    }
    return read(directory / "stderr");
  };
  EXPECT_NE(shown().find("CN = first"), std::string::npos);
  std::filesystem::rename(second.certificate, first.certificate);
  ::kill(pid, SIGHUP);
  auto said = wait_for_line("\n");
  EXPECT_TRUE(said.starts_with("gateway gateway: the old certificate stays in use: ")) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(shown().find("CN = first"), std::string::npos);
  std::filesystem::rename(second.key, first.key);
  ::kill(pid, SIGHUP);
  wait_for_line("new connections get the certificate");
  EXPECT_NE(shown().find("CN = second"), std::string::npos);
  ::kill(pid, SIGTERM);
  EXPECT_EQ(exit_code(pid), GatewayExit::stopped);
}

/// What the process itself has of memory, in KiB.
std::size_t anonymous_kib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib;
  }
  return 0;
}

TEST_F(GatewayProcessTest, AThousandIdleConnectionsFitInThirtyMegabytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  ::rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 2000);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const pid_t pid = run();
  const auto port = wait_until_listening();
  std::vector<std::unique_ptr<HttpClient>> idle;
  for (int number = 0; number < 1000; ++number) {
    idle.push_back(std::make_unique<HttpClient>(port));
    idle.back()->login.clear();
    ASSERT_EQ(idle.back()->request("OPTIONS", "/").status, 200);
  }
  const std::size_t kib = anonymous_kib(pid);
  RecordProperty("rss_anon_kib", std::to_string(kib));
  std::printf("RssAnon with 1,000 idle connections: %zu KiB\n", kib);
  EXPECT_GT(kib, 0U);
  EXPECT_LT(kib, 30U << 10);
}

TEST_F(GatewayProcessTest, AHangUpDoesNotEndIt) {
  const pid_t pid = run();
  HttpClient client(wait_until_listening());
  ::kill(pid, SIGHUP);
  client.login.clear();
  EXPECT_EQ(client.request("OPTIONS", "/").status, 200);
  ::kill(pid, SIGTERM);
  EXPECT_EQ(exit_code(pid), GatewayExit::stopped);
}

TEST_F(GatewayProcessTest, AKilledGatewayLeavesNothingThatHindersTheNext) {
  const pid_t pid = run();
  wait_until_listening();
  ::kill(pid, SIGKILL);
  EXPECT_EQ(exit_code(pid), -2);
  std::filesystem::remove(directory / "stderr");
  const pid_t next = run();
  // The old text stays until the new process has taken the lock.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto line = "pid=" + std::to_string(next) + "\n";
  while (!read(directory / "run" / (gateway.name + ".lock")).starts_with(line) &&
         std::chrono::steady_clock::now() < until) {
    ::usleep(2000);
  }
  wait_until_listening();
  ::kill(next, SIGTERM);
  EXPECT_EQ(exit_code(next), GatewayExit::stopped);
}

}  // namespace
}  // namespace pollux::testing
