// The bytes of one connection, plain or within TLS. It knows no HTTP, and no time: whoever owns it closes it
// when something takes too long. Handlers are called once, on the connection's thread, also after `close`.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <string>

#include "http/tls.h"

namespace pollux {

class Wire {
 public:
  using ErrorCode = boost::system::error_code;
  using Moved = std::move_only_function<void(ErrorCode, std::size_t)>;
  using Done = std::move_only_function<void(ErrorCode)>;

  explicit Wire(boost::asio::ip::tcp::socket socket);
  ~Wire();

  /// The client's network, as `client_network` gives it; empty if it has left already.
  [[nodiscard]] std::string client() const;
  [[nodiscard]] auto executor() { return socket_.get_executor(); }
  [[nodiscard]] bool is_tls() const { return tls_ != nullptr; }

  /// Waits for the first byte, and tells it without taking it. Nothing is allocated for a client that has
  /// said nothing yet.
  void peek(std::move_only_function<void(ErrorCode, unsigned char)> done);
  /// From its success on, everything goes through TLS.
  void handshake(const std::shared_ptr<boost::asio::ssl::context>& context, Done done);

  void read_some(boost::asio::mutable_buffer into, Moved done);
  void write(std::array<boost::asio::const_buffer, 2> buffers, Done done);
  /// Tells the client that nothing more will be sent, and waits for its own end if there is TLS. What is read
  /// afterwards is fit for nothing but to be thrown away.
  void finish(Done done);
  void close();

 private:
  using Tls = boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>;

  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<Tls> tls_;
  bool finished_ = false;
};

}  // namespace pollux
