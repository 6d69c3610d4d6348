#include "http/wire.h"

#include <boost/asio/write.hpp>

#include "users/login_throttle.h"

namespace pollux {

namespace asio = boost::asio;
using boost::asio::ip::tcp;

Wire::Wire(tcp::socket socket) : socket_(std::move(socket)) {
  ErrorCode ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
}

Wire::~Wire() = default;

std::string Wire::client() const {
  ErrorCode error;
  const auto endpoint = socket_.remote_endpoint(error);
  if (error) return {};
  const auto network = [](const auto& bytes) {
    return client_network({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  if (endpoint.address().is_v4()) return network(endpoint.address().to_v4().to_bytes());
  return network(endpoint.address().to_v6().to_bytes());
}

void Wire::peek(std::move_only_function<void(ErrorCode, unsigned char)> done) {
  socket_.async_wait(tcp::socket::wait_read, [this, done = std::move(done)](ErrorCode error) mutable {
    unsigned char first = 0;
    if (!error) socket_.non_blocking(true, error);
    std::size_t count = 0;
    if (!error) count = socket_.receive(asio::buffer(&first, 1), tcp::socket::message_peek, error);
    if (error == asio::error::would_block) return peek(std::move(done));
    if (!error && count == 0) error = asio::error::eof;
    done(error, first);
  });
}

void Wire::handshake(const std::shared_ptr<asio::ssl::context>& context, Done done) {
  tls_ = std::make_unique<Tls>(socket_, *context);  // OpenSSL keeps the context while it is in use
  tls_->async_handshake(asio::ssl::stream_base::server,
                        [done = std::move(done)](ErrorCode error) mutable { done(error); });
}

void Wire::read_some(asio::mutable_buffer into, Moved done) {
  if (tls_ && !finished_) return tls_->async_read_some(into, std::move(done));
  socket_.async_read_some(into, std::move(done));
}

void Wire::write(std::array<asio::const_buffer, 2> buffers, Done done) {
  const auto written = [](Done then) {
    return [then = std::move(then)](ErrorCode error, std::size_t) mutable { then(error); };
  };
  if (tls_) {
    asio::async_write(*tls_, buffers, written(std::move(done)));
  } else {
    asio::async_write(socket_, buffers, written(std::move(done)));
  }
}

void Wire::finish(Done done) {
  auto then = [this, done = std::move(done)](ErrorCode) mutable {
    finished_ = true;
    ErrorCode error;
    socket_.shutdown(tcp::socket::shutdown_send, error);
    done(error);
  };
  // Its error says only that the client has not finished, too.
  if (tls_) return tls_->async_shutdown(std::move(then));
  then({});
}

void Wire::close() {
  ErrorCode ignored;
  socket_.close(ignored);
}

}  // namespace pollux
