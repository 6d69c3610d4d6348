// One connection: moves bytes, keeps the limits, and asks the front for answers. HTTP/1.1 with keep-alive and
// pipelining (answers in order), HTTP/1.0, Expect: 100-continue, chunked bodies. With a certificate, within
// TLS.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "http/lane.h"
#include "http/wire.h"

namespace pollux {

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(boost::asio::ip::tcp::socket socket, HttpLane& lane);
  ~HttpSession();

  void start();
  void close();  ///< at once
  /// No request has begun.
  [[nodiscard]] bool is_idle() const { return state_ == State::idle || state_ == State::handshake; }
  /// Nothing is lost by closing it but a client that says nothing.
  [[nodiscard]] bool is_waiting_for_client() const { return is_idle() || state_ == State::header; }
  [[nodiscard]] std::chrono::steady_clock::time_point deadline() const { return deadline_; }

 private:
  enum class State : std::uint8_t { handshake, idle, header, admission, body, answer, write, linger, closed };
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using ErrorCode = boost::system::error_code;

  void enter(State state, std::chrono::milliseconds limit);
  void on_first_byte(ErrorCode error, unsigned char first);
  void begin();  ///< ready for the next request
  void read();
  void on_read(ErrorCode error, std::size_t count);
  void parse_header();
  void on_header();
  [[nodiscard]] std::optional<HttpResponse> check_header() const;
  void on_admitted(std::optional<HttpResponse> refusal);
  void drain_then(HttpResponse refusal);
  bool reserve(std::size_t bytes);
  void release();
  void say_continue();
  void parse_body();
  void on_body();
  void on_parse_error(ErrorCode error);
  void respond(HttpResponse response);
  void make_head();
  void on_written(ErrorCode error);
  void linger();
  [[nodiscard]] std::chrono::milliseconds transfer_limit(std::size_t bytes) const;

  Wire wire_;
  const std::string client_;  ///< its network, as wrong passwords are counted
  HttpLane& lane_;
  HttpLane::Seat seat_;
  State state_ = State::handshake;
  std::chrono::steady_clock::time_point deadline_;

  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::size_t header_bytes_ = 0;  ///< of this request's headers, already taken from the buffer
  std::size_t lingered_bytes_ = 0;
  std::size_t reserved_ = 0;  ///< of limits.bodies_bytes_max
  ExchangePtr exchange_;
  std::optional<HttpResponse> refusal_;  ///< to be sent once the unwanted body is read
  HttpResponse response_;
  std::string head_;
  bool is_head_ = false, keep_alive_ = false, is_version_10_ = false;
};

}  // namespace pollux
