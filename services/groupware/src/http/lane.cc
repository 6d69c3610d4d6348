#include "http/lane.h"

#include <boost/asio/write.hpp>
#include <ctime>
#include <memory>

#include "http/message.h"
#include "http/session.h"

namespace pollux {
namespace {

using boost::asio::ip::tcp;

/// Said to a connection there is no room for. It goes into an empty socket buffer, so it never blocks.
void refuse_connection(tcp::socket socket) {
  static const std::string text =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n"
      "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 32\r\n\r\nThere are too many "
      "connections.\n";
  boost::system::error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(boost::asio::buffer(text), ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace

HttpLane::HttpLane(HttpShared& all) : shared(all), timer_(io) {}

void HttpLane::run() {
  sweep();
  io.run();
}

void HttpLane::take(tcp::socket socket) {
  if (stopping_) return;
  if (shared.connections.load() >= shared.limits.connections_max && !close_an_idle_one()) {
    if (shared.tls == nullptr) refuse_connection(std::move(socket));
    return;
  }
  std::make_shared<HttpSession>(std::move(socket), *this)->start();
}

bool HttpLane::close_an_idle_one() {
  for (HttpSession* session : sessions_) {
    if (!session->is_waiting_for_client()) continue;
    session->close();
    return true;
  }
  return false;
}

void HttpLane::stop() {
  stopping_ = true;
  stop_at_ = std::chrono::steady_clock::now() + shared.limits.stop;
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    HttpSession* session = *at++;
    if (session->is_idle()) session->close();
  }
  timer_.cancel();  // looks again, and ends if nothing is left
}

// While there is a timer the thread stays; a connection that waits for the pair has nothing else in `io`.
void HttpLane::sweep() {
  const auto now = std::chrono::steady_clock::now();
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    HttpSession* session = *at++;
    if (session->deadline() <= now || (stopping_ && stop_at_ <= now)) session->close();
  }
  if (stopping_ && sessions_.empty()) return;
  timer_.expires_after(stopping_ ? std::chrono::milliseconds(10) : shared.limits.sweep);
  timer_.async_wait([this](boost::system::error_code) { sweep(); });
}

const std::string& HttpLane::date_line() {
  const std::int64_t now = std::time(nullptr);
  if (now != date_second_) {
    date_second_ = now;
    date_line_ = "Date: " + http_date(now) + "\r\n";
  }
  return date_line_;
}

HttpLane::Seat HttpLane::enter(HttpSession* session) {
  shared.connections.fetch_add(1);
  return sessions_.insert(sessions_.end(), session);
}

void HttpLane::leave(Seat seat) {
  shared.connections.fetch_sub(1);
  sessions_.erase(seat);
}

void HttpLane::move_to_back(Seat seat) { sessions_.splice(sessions_.end(), sessions_, seat); }

}  // namespace pollux
