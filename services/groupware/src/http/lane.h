// One thread of the gateway with its connections. Connections never change lanes, so they need no locks.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <list>
#include <string>

#include "http/front.h"
#include "http/limits.h"

namespace pollux {

class HttpSession;
class TlsKeeper;

/// What all lanes share.
struct HttpShared {
  GatewayLimits limits;
  Front* front = nullptr;
  TlsKeeper* tls = nullptr;  ///< null: plain HTTP
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> body_bytes{0};  ///< promised to bodies being received
  std::atomic<bool> stopping{false};
};

class HttpLane {
 public:
  explicit HttpLane(HttpShared& shared);

  boost::asio::io_context io{1};
  HttpShared& shared;

  /// Takes a new connection; on this lane's thread. With too many, the longest idle one makes room.
  void take(boost::asio::ip::tcp::socket socket);
  /// Idle connections are closed, the others once they are answered or limits.stop has passed; then the
  /// thread has nothing left to do. On this lane's thread.
  void stop();
  void run();

  /// "Date: ...\r\n", made once a second.
  const std::string& date_line();

  using Seat = std::list<HttpSession*>::iterator;
  Seat enter(HttpSession* session);
  void leave(Seat seat);
  void move_to_back(Seat seat);  ///< it is the one that became idle last

 private:
  void sweep();
  bool close_an_idle_one();

  std::list<HttpSession*> sessions_;
  boost::asio::steady_timer timer_;
  bool stopping_ = false;
  std::chrono::steady_clock::time_point stop_at_;
  std::int64_t date_second_ = -1;
  std::string date_line_;
};

}  // namespace pollux
