#include "endpoint.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <thread>

namespace pollux {
namespace {

constexpr std::string_view ipc_prefix = "ipc://";
constexpr std::string_view tcp_prefix = "tcp://";
constexpr int backlog = 128;
// A killed process gives its directory lock back before its sockets: a listener there may be on its way out.
constexpr std::chrono::milliseconds dying_listener_max{2000};
constexpr std::chrono::milliseconds dying_listener_look{5};

sockaddr_un address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  return address;
}

bool somebody_listens(const sockaddr_un& address) {
  const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) return false;
  // EAGAIN: its queue of connections is full, so it is there.
  return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
         errno == EAGAIN;
}

}  // namespace

std::optional<std::filesystem::path> ipc_path(const std::string& endpoint) {
  if (!endpoint.starts_with(ipc_prefix)) return std::nullopt;
  return endpoint.substr(ipc_prefix.size());
}

Result<void> check_endpoint(const std::string& endpoint) {
  if (const auto path = ipc_path(endpoint)) {
    if (path->empty()) {
      return fail(Code::bad_config,
                  "endpoint '" + endpoint + "' needs a path, as in ipc:///run/pollux/a.sock");
    }
    if (path->native().size() > ipc_path_bytes_max) {
      return fail(Code::bad_config, "endpoint '" + endpoint + "' has a path of " +
                                        std::to_string(path->native().size()) +
                                        " bytes; a Unix socket's path has at most " +
                                        std::to_string(ipc_path_bytes_max) + ": choose a shorter directory");
    }
    return {};
  }
  if (endpoint.starts_with(tcp_prefix)) {
    const std::size_t colon = endpoint.rfind(':');
    const std::string_view port = std::string_view(endpoint).substr(colon + 1);
    unsigned number = 0;
    const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
    const bool good =
        parsed.ec == std::errc{} && parsed.ptr == port.data() + port.size() && number >= 1 && number <= 65535;
    if (colon > tcp_prefix.size() && good) return {};
  }
  return fail(Code::bad_config, "endpoint '" + endpoint + "' is neither ipc:///PATH nor tcp://HOST:PORT");
}

Result<UniqueFd> listen_unix(const std::filesystem::path& path) {
  const auto failure = [&](int error, const std::string& hint) {
    return fail(error == EADDRINUSE ? Code::in_use : Code::io_error,
                "can't listen at " + path.string() + ": " + errno_text(error) + hint);
  };
  struct stat status{};
  if (path.has_parent_path() && ::stat(path.parent_path().c_str(), &status) != 0) {
    return failure(errno, "; make the directory " + path.parent_path().string());
  }
  const sockaddr_un address = address_of(path);
  const auto until = std::chrono::steady_clock::now() + dying_listener_max;
  while (somebody_listens(address)) {
    if (std::chrono::steady_clock::now() >= until) {
      return failure(EADDRINUSE, "; another process listens there: stop it, or choose another endpoint");
    }
    std::this_thread::sleep_for(dying_listener_look);
  }
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) {
      return failure(EEXIST, "; it is no socket: move it elsewhere, or choose another endpoint");
    }
    ::unlink(path.c_str());
  }
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return failure(errno, "");
  // The file gets the mode that the socket has when it is bound: there is no moment at which others may
  // connect.
  if (::fchmod(fd.get(), 0600) != 0) return failure(errno, "");
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failure(errno, "");
  if (::listen(fd.get(), backlog) != 0) return failure(errno, "");
  return fd;
}

}  // namespace pollux
