// The gateway process: lock file, signals, start and stop.
#include "pollux/groupware/gateway.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include "http/server.h"
#include "pollux/groupware/calendar_check.h"
#include "pollux/groupware/service.h"

namespace pollux {
namespace {

/// How much larger than an item the pair's request and reply are that carry it.
constexpr std::size_t envelope_bytes = 16u << 10;
constexpr rlim_t descriptors_besides = 64;
/// Of what large answers needed, more than this goes back to the system after some seconds.
constexpr std::size_t free_bytes_kept = 8u << 20;
constexpr int lock_tries = 20;
constexpr auto lock_try_again_after = std::chrono::milliseconds(10);

/// Held until the process ends. Its text says whose it is, as flock does not tell.
class LockFile {
 public:
  static Result<LockFile> take(const std::filesystem::path& file) {
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return fail(Code::io_error, "can't open " + file.string() + ": " + std::strerror(errno));
    // A supervisor that looks whether it is held holds it for a moment itself.
    for (int tries = 0; tries < lock_tries; ++tries) {
      if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return LockFile(fd);
      std::this_thread::sleep_for(lock_try_again_after);
    }
    std::array<char, 64> text{};
    const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
    ::close(fd);
    const std::string_view line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    const std::string holder(line.substr(0, line.find('\n')));
    return fail(Code::in_use,
                "it runs already (" + holder + "; " + file.string() + " is locked): stop that process first");
  }

  Result<void> write(const std::string& text) {
    if (::ftruncate(fd_, 0) == 0 &&
        ::pwrite(fd_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size())) {
      return {};
    }
    return fail(Code::io_error, std::string("can't write its lock file: ") + std::strerror(errno));
  }

 private:
  explicit LockFile(int fd) : fd_(fd) {}
  int fd_;  // never closed: that would drop the lock
};

/// SIGHUP: look at the certificate now.
sigset_t signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

/// A connection is a descriptor.
Result<void> allow_descriptors(std::size_t connections_max) {
  struct ::rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = connections_max + descriptors_besides;
  if (limit.rlim_cur >= wanted) return {};
  if (limit.rlim_max < wanted) {
    return fail(Code::bad_config, "connections_max = " + std::to_string(connections_max) + " needs " +
                                      std::to_string(wanted) + " open files, and the limit is " +
                                      std::to_string(limit.rlim_max) +
                                      ": raise it (ulimit -n), or lower the other");
  }
  limit.rlim_cur = wanted;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  return fail(Code::io_error, std::string("can't raise the limit of open files: ") + std::strerror(errno));
}

/// The node holds the socket, so that connections wait while a gateway that died is started again. It says so in the
/// environment; a gateway that is started by hand listens itself.
int given_socket() {
  const char* text = std::getenv("POLLUX_LISTEN_FD");
  if (text == nullptr) return -1;
  const int number = std::atoi(text);
  int listens = 0;
  socklen_t size = sizeof listens;
  const bool good = number > STDERR_FILENO && ::getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0;
  return good ? number : -1;
}

ServerOptions server_options(const PairConfig& pair, const GatewayConfig& gateway) {
  ServerOptions options{.listen = gateway.listen,
                        .listening = given_socket(),
                        .threads = std::max<std::size_t>(gateway.threads, 1),
                        .limits = {},
                        .tls = {}};
  if (gateway.has_tls()) options.tls = TlsFiles{gateway.tls_certificate, gateway.tls_key};
  options.limits.connections_max = gateway.connections_max;
  // What the pair would refuse is refused before it is received.
  const std::size_t record = std::min(pair.options.request_bytes_max, pair.options.reply_bytes_max);
  options.limits.body_bytes_max = std::min<std::uint64_t>(
      gateway.body_bytes_max, record > envelope_bytes ? record - envelope_bytes : record);
  options.limits.bodies_bytes_max =
      std::max<std::size_t>(options.limits.bodies_bytes_max, 4 * options.limits.body_bytes_max);
  return options;
}

/// Returns at SIGTERM or SIGINT. Meanwhile it watches the certificate.
void serve_until_stopped(const GatewayConfig& gateway, GatewayServer& server, const sigset_t& awaited) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(GatewayLimits().tls_check);
  const ::timespec pause{.tv_sec = seconds.count(), .tv_nsec = 0};
  for (;;) {
    const int signal = ::sigtimedwait(&awaited, nullptr, &pause);
    if (signal == SIGTERM || signal == SIGINT) return;
    if (signal < 0 && errno != EAGAIN) continue;
    if (::mallinfo2().fordblks > free_bytes_kept) ::malloc_trim(0);
    const auto renewed = server.refresh_certificate(signal == SIGHUP);
    if (!renewed) {
      std::fprintf(stderr, "gateway %s: the old certificate stays in use: %s\n", gateway.name.c_str(),
                   renewed.error().text.c_str());
    } else if (*renewed) {
      std::fprintf(stderr, "gateway %s: new connections get the certificate of %s\n", gateway.name.c_str(),
                   gateway.tls_certificate.c_str());
    }
  }
}

int exit_code(Code code) {
  if (code == Code::bad_config) return GatewayExit::bad_config;
  return code == Code::in_use ? GatewayExit::in_use : GatewayExit::failed;
}

int say_and_exit(const GatewayConfig& gateway, const Error& error) {
  std::fprintf(stderr, "gateway %s: %s\n", gateway.name.c_str(), error.text.c_str());
  return exit_code(error.code);
}

}  // namespace

int run_gateway(const Config& config, const GatewayConfig& gateway) {
  const PairConfig* pair = config.find_pair(gateway.pair);
  if (pair == nullptr || pair->service != "groupware") {
    return say_and_exit(
        gateway, {Code::bad_config, "pair = \"" + gateway.pair + "\" names no pair of service groupware"});
  }
  auto lock = LockFile::take(config.data / "run" / (gateway.name + ".lock"));
  if (!lock) return say_and_exit(gateway, lock.error());
  const std::string pid = "pid=" + std::to_string(::getpid()) + "\n";
  if (const auto written = lock->write(pid); !written) return say_and_exit(gateway, written.error());
  if (const auto allowed = allow_descriptors(gateway.connections_max); !allowed) {
    return say_and_exit(gateway, allowed.error());
  }

  // Before any thread is started: all of them inherit this, and the signals wait for us below.
  const sigset_t awaited = signals();
  ::pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  prepare_calendar_library();

  const std::chrono::milliseconds wait(gateway.gateway_wait_ms);
  auto requester = Requester::open(config.address(*pair), {.deadline = wait, .connect_within = wait});
  if (!requester) return say_and_exit(gateway, requester.error());
  auto client = make_requester_pair(std::move(*requester), wait, wait);
  if (gateway.reads == GatewayReads::tables) {
    if (auto beside = make_reads_beside(config, *pair))
      client = make_pair_with_reads(std::move(client), std::move(beside), make_groupware_service());
  }
  auto server = GatewayServer::open(server_options(*pair, gateway), std::move(client));
  if (!server) return say_and_exit(gateway, server.error());
  if (const auto written = lock->write(pid + "listen=" + (*server)->listening() + "\n"); !written) {
    return say_and_exit(gateway, written.error());
  }

  serve_until_stopped(gateway, **server, awaited);
  (*server)->stop();
  return GatewayExit::stopped;
}

}  // namespace pollux
