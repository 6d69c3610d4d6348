// The control connection between a benchmark and its far end: lines of text, "verb name=value name=value".
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "pollux/core/result.h"
#include "run/cell.h"

namespace pollux {

struct PeerLine {
  std::string verb;  ///< "echo", "ready", "refused", ...
  Facts words;       ///< values are written with %20 and %25 for what would end a word
};
std::string text_of(const PeerLine& line);
/// None if it is no such line.
Result<PeerLine> parse_peer_line(std::string_view text);

/// A stream socket; takes it over.
class LineSocket {
 public:
  static constexpr std::size_t line_bytes_max = 4096;

  explicit LineSocket(int fd) : fd_(fd) {}
  ~LineSocket();
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;

  Result<void> write(const PeerLine& line);
  /// `deadline_exceeded` if none came in time, `unreachable` if the other end is gone.
  Result<PeerLine> read(std::chrono::milliseconds limit);
  /// The other end has closed. Does not wait, does not read.
  [[nodiscard]] bool hung_up() const;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
  std::string buffer_;
};

/// "HOST:PORT" or "[ADDRESS]:PORT" as the two; `invalid_argument` with a clear line.
Result<std::pair<std::string, std::string>> host_and_port(const std::string& address);
/// Connects within `limit`. Close-on-exec, as all that follow.
/// `prepare` is given the socket before it connects: buffers set later don't change the window any more.
Result<int> connect_tcp(const std::string& host, const std::string& port, std::chrono::milliseconds limit,
                        const std::function<void(int)>& prepare = {});
/// Port "0": a free one. `backlog` connections may wait.
Result<int> listen_tcp(const std::string& host, const std::string& port);
Result<int> connect_unix(const std::string& path);
Result<int> listen_unix(const std::string& path);
/// Numeric address and port of this end.
Result<std::pair<std::string, std::string>> local_address(int fd);

}  // namespace pollux
