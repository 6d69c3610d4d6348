#include "peer/line_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pollux/bench/histogram.h"

namespace pollux {

namespace {

std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (c == ' ') {
      text += "%20";
    } else if (c == '%') {
      text += "%25";
    } else {
      text += c == '\n' ? ' ' : c;
    }
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = text.substr(i, 3);
    if (code == "%20" || code == "%25") {
      value += code == "%20" ? ' ' : '%';
      i += 2;
    } else {
      value += text[i];
    }
  }
  return value;
}

}  // namespace

std::string text_of(const PeerLine& line) {
  std::string text = line.verb;
  for (const auto& [name, value] : line.words) text += " " + name + "=" + escaped(value);
  return text + "\n";
}

Result<PeerLine> parse_peer_line(std::string_view text) {
  PeerLine line;
  for (std::size_t from = 0; from <= text.size();) {
    const auto space = std::min(text.find(' ', from), text.size());
    const auto word = text.substr(from, space - from);
    from = space + 1;
    if (line.verb.empty()) {
      if (word.empty()) break;
      line.verb = std::string(word);
      continue;
    }
    const auto equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return fail(Code::invalid_argument, "the other end sent a line that is not understood");
    }
    line.words.emplace_back(std::string(word.substr(0, equals)), unescaped(word.substr(equals + 1)));
  }
  if (line.verb.empty()) return fail(Code::invalid_argument, "the other end sent an empty line");
  return line;
}

LineSocket::~LineSocket() { close(fd_); }

Result<void> LineSocket::write(const PeerLine& line) {
  const auto text = text_of(line);
  std::string_view left = text;
  while (!left.empty()) {
    const auto sent = send(fd_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return fail(Code::unreachable, std::string("the far end is gone: ") + std::strerror(errno));
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<PeerLine> LineSocket::read(std::chrono::milliseconds limit) {
  const auto deadline = monotonic_ns() + std::chrono::nanoseconds(limit).count();
  for (;;) {
    if (const auto end = buffer_.find('\n'); end != std::string::npos) {
      auto line = parse_peer_line(std::string_view(buffer_).substr(0, end));
      buffer_.erase(0, end + 1);
      return line;
    }
    if (buffer_.size() > line_bytes_max)
      return fail(Code::invalid_argument, "the other end sent a line without end");
    const auto left_ms = (deadline - monotonic_ns()) / 1'000'000;
    if (left_ms <= 0) return fail(Code::deadline_exceeded, "the far end does not answer");
    pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left_ms, 1000))) <= 0) continue;
    char bytes[512];
    const auto got = recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return fail(Code::unreachable, "the far end closed the connection");
    buffer_.append(bytes, static_cast<std::size_t>(got));
  }
}

bool LineSocket::hung_up() const {
  pollfd ready{.fd = fd_, .events = POLLRDHUP, .revents = 0};
  return poll(&ready, 1, 0) > 0 && (ready.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace pollux
