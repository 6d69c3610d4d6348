#include "http/http_load.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "http/http_reader.h"
#include "http/http_socket.h"
#include "pollux/core/check.h"

namespace pollux {

namespace {

constexpr int look_every_ms = 20;
constexpr std::int64_t progress_every_ns = 250'000'000;
constexpr std::int64_t pause_after_failure_ns = 20'000'000;
constexpr std::uint64_t failures_max = 1000;  // beyond it the figures mean nothing, whatever follows
constexpr std::size_t read_bytes = 256u << 10;

struct Connection {
  int fd = -1;
  std::uint32_t watched = 0;
  HttpRequest request;
  HttpReader reader;
  std::size_t sent = 0;
  std::int64_t begun_at = 0;
  std::uint64_t number = 0;
  std::int64_t parked_until = 0;
  bool outstanding = false;
};

class HttpLoad {
 public:
  explicit HttpLoad(const HttpLoadOptions& options)
      : options_(options), connections_(options.connections), buffer_(read_bytes) {}

  HttpLoadResult run() {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    POLLUX_CHECK(epoll_ >= 0);
    begin_ = monotonic_ns();
    warm_until_ = begin_ + options_.warm_up.count();
    if (options_.warm_up.count() == 0) first_ = last_ = begin_;
    for (auto& connection : connections_) next(connection);
    send_due();
    while (!over(monotonic_ns())) turn();
    sending_ = false;
    const auto drain_until = monotonic_ns() + options_.drain_limit.count();
    while (outstanding_ > 0 && monotonic_ns() < drain_until && !stopped()) turn();
    result_.drained = outstanding_ == 0;
    count_unsent(monotonic_ns());
    result_.measured = std::chrono::nanoseconds(last_ - first_);
    for (auto& connection : connections_) close_connection(connection);
    close(epoll_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && *options_.stop; }

  [[nodiscard]] bool over(std::int64_t now) const {
    if (stopped() || result_.failed >= failures_max) return true;
    if (result_.sent >= options_.requests_max && outstanding_ == 0) return true;
    const auto since = now - warm_until_;
    if (since < options_.duration.count()) return false;
    return result_.measured_answers >= options_.answers_min || since >= options_.duration_max.count();
  }

  void turn() {
    std::array<epoll_event, 128> events{};
    const auto pause = pause_ns();
    const timespec at_most{.tv_sec = pause / 1'000'000'000, .tv_nsec = pause % 1'000'000'000};
    const int count = epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &at_most, nullptr);
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      on_event(connections_[event.data.u32], event.events);
    }
    send_due();
    const auto now = monotonic_ns();
    if (now < housekeeping_at_) return;
    housekeeping_at_ = now + look_every_ms * 1'000'000;
    for (auto& connection : connections_) {
      if (connection.parked_until != 0 && now >= connection.parked_until) next(connection);
    }
    if (options_.progress && now >= progress_at_) {
      progress_at_ = now + progress_every_ns;
      options_.progress(result_.answered);
    }
  }

  void watch(Connection& connection, std::uint32_t events) {
    if (connection.watched == events) return;
    epoll_event event{.events = events,
                      .data = {.u32 = static_cast<std::uint32_t>(&connection - connections_.data())}};
    const int operation = connection.watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    POLLUX_CHECK(epoll_ctl(epoll_, operation, connection.fd, &event) == 0);
    connection.watched = events;
  }

  void close_connection(Connection& connection) {
    if (connection.fd >= 0) close(connection.fd);
    connection.fd = -1;
    connection.watched = 0;
  }

  [[nodiscard]] std::int64_t due_ns() const {
    constexpr std::int64_t second_ns = 1'000'000'000;
    if (options_.due) return begin_ + options_.due(result_.sent).count();
    return begin_ + static_cast<std::int64_t>(result_.sent) * second_ns / static_cast<std::int64_t>(options_.rate);
  }
  [[nodiscard]] bool more_due() const {
    return open() && sending_ && result_.sent < options_.requests_max;
  }
  [[nodiscard]] bool open() const { return options_.rate != 0 || options_.due; }
  // Until the next request is due, if there is a connection for it.
  [[nodiscard]] std::int64_t pause_ns() const {
    constexpr std::int64_t look_every_ns = std::int64_t{look_every_ms} * 1'000'000;
    if (!more_due() || free_.empty()) return look_every_ns;
    return std::clamp<std::int64_t>(due_ns() - monotonic_ns(), 0, look_every_ns);
  }
  void send_due() {
    while (more_due() && !free_.empty() && due_ns() <= monotonic_ns()) {
      auto& connection = *free_.back();
      free_.pop_back();
      const auto due = due_ns();
      result_.behind_ns = std::max(result_.behind_ns, monotonic_ns() - due);
      send_next(connection, due);
    }
  }
  void count_unsent(std::int64_t now) {
    if (!open() || stopped()) return;
    const auto end = std::min(now, warm_until_ + options_.duration.count());
    for (; result_.sent < options_.requests_max && due_ns() < end; ++result_.sent) {
      ++result_.unsent;
      result_.latency.record_censored_ns(now - due_ns());
    }
  }

  void next(Connection& connection) {
    connection.parked_until = 0;
    if (!sending_ || result_.sent >= options_.requests_max) return;
    if (open()) return free_.push_back(&connection);
    send_next(connection, 0);
  }

  // `due_ns`: when it was due; 0: now.
  void send_next(Connection& connection, std::int64_t due_ns) {
    connection.number = result_.sent++;
    options_.request(connection.number, connection.request);
    connection.sent = 0;
    connection.outstanding = true;
    ++outstanding_;
    connection.reader.begin(options_.on_answer != nullptr);
    connection.begun_at = due_ns == 0 ? monotonic_ns() : due_ns;
    if (connection.fd < 0) {
      const auto fd = begin_connect(options_.address);
      if (!fd) return failed(connection, fd.error().text);
      connection.fd = *fd;
      ++result_.connects;
      watch(connection, EPOLLOUT);
    } else {
      send_more(connection);
    }
  }

  void on_event(Connection& connection, std::uint32_t events) {
    if (!connection.outstanding) {
      // Closed by the server while it was idle, or there is more than it was asked for: not to be used again.
      return close_connection(connection);
    }
    if (connection.sent < connection.request.bytes.size()) {
      if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(connection.fd, SOL_SOCKET, SO_ERROR, &error, &size);
        return failed(connection, std::string("the connection was lost: ") + std::strerror(error));
      }
      return send_more(connection);
    }
    receive(connection);
  }

  void send_more(Connection& connection) {
    const auto& bytes = connection.request.bytes;
    while (connection.sent < bytes.size()) {
      const auto count =
          send(connection.fd, bytes.data() + connection.sent, bytes.size() - connection.sent, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return watch(connection, EPOLLOUT);
      if (count < 0) return failed(connection, std::string("can't send: ") + std::strerror(errno));
      connection.sent += static_cast<std::size_t>(count);
    }
    watch(connection, EPOLLIN);
  }

  void receive(Connection& connection) {
    const auto count = recv(connection.fd, buffer_.data(), buffer_.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count < 0) return failed(connection, std::string("can't read: ") + std::strerror(errno));
    auto& reader = connection.reader;
    const auto size = static_cast<std::size_t>(count);
    const auto taken = count == 0 ? 0 : reader.take({buffer_.data(), size});
    if (count == 0) reader.closed();
    if (!reader.wrong().empty()) return failed(connection, reader.wrong());
    if (!reader.done()) return;
    if (taken < size) return failed(connection, "there is more after the answer than it said");
    answered(connection);
  }

  void answered(Connection& connection) {
    const auto now = monotonic_ns();
    const auto& reader = connection.reader;
    const auto& expected = connection.request.expected;
    if (std::ranges::find(expected.statuses, reader.head().status) == expected.statuses.end()) {
      return failed(connection, "answered with status " + std::to_string(reader.head().status));
    }
    if (expected.body_bytes && *expected.body_bytes != reader.body_bytes()) {
      return failed(connection, "answered with " + std::to_string(reader.body_bytes()) + " bytes, not " +
                                    std::to_string(*expected.body_bytes));
    }
    if (expected.etag && reader.head().etag.empty()) return failed(connection, "answered without an ETag");
    if (options_.on_answer) {
      const auto wrong = options_.on_answer(connection.number, reader.body(), now - connection.begun_at);
      if (!wrong.empty()) return failed(connection, wrong);
    }
    finish(connection);
    ++result_.answered;
    if (sending_) measure(now, now - connection.begun_at);
    if (!reader.head().keep_alive) close_connection(connection);
    next(connection);
  }

  void measure(std::int64_t now, std::int64_t time_ns) {
    if (now < warm_until_) return;
    if (first_ == 0) {
      first_ = last_ = now;
      return;
    }
    last_ = now;
    ++result_.measured_answers;
    result_.latency.record_ns(time_ns);
  }

  void finish(Connection& connection) {
    POLLUX_CHECK(connection.outstanding && outstanding_ > 0);
    connection.outstanding = false;
    --outstanding_;
  }

  void failed(Connection& connection, const std::string& why) {
    finish(connection);
    ++result_.failed;
    if (result_.first_error.empty()) {
      const auto& bytes = connection.request.bytes;
      result_.first_error = bytes.substr(0, bytes.find(" HTTP/")) + ": " + why;
    }
    close_connection(connection);
    connection.parked_until = monotonic_ns() + pause_after_failure_ns;
  }

  const HttpLoadOptions& options_;
  std::vector<Connection> connections_;
  std::vector<Connection*> free_;  // at a rate: those that wait for the next request
  std::vector<char> buffer_;
  HttpLoadResult result_;
  int epoll_ = -1;
  unsigned outstanding_ = 0;
  bool sending_ = true;
  std::int64_t begin_ = 0, warm_until_ = 0, first_ = 0, last_ = 0, housekeeping_at_ = 0, progress_at_ = 0;
};

}  // namespace

std::uint64_t rate_milli(std::uint64_t answers, std::chrono::nanoseconds time) {
  const auto microseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count() / 1000));
  return microseconds == 0 ? 0 : answers * 1'000'000'000 / microseconds;
}

std::uint64_t HttpLoadResult::per_second_milli() const { return rate_milli(measured_answers, measured); }

HttpLoadResult run_http_load(const HttpLoadOptions& options) { return HttpLoad(options).run(); }

}  // namespace pollux
