#include "http/session.h"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <charconv>
#include <ctime>

#include "dav/errors.h"
#include "dav/methods.h"

namespace pollux {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using std::chrono::steady_clock;

constexpr std::size_t read_bytes_small = 4096;       // most requests: one read, little memory
constexpr std::size_t read_bytes_large = 64u << 10;  // bodies
constexpr std::size_t tls_record_bytes = 16u << 10;
constexpr unsigned char tls_handshake_record = 22;  // RFC 8446, 5.1: what every client begins with
constexpr std::size_t buffer_bytes_kept = 16u << 10;
constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

/// Some milliseconds late at most, and far cheaper: limits are looked at now and then only (limits.sweep).
steady_clock::time_point coarse_now() {
  ::timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return steady_clock::time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

std::string too_large(std::uint64_t bytes_max) {
  return "The body is larger than " + std::to_string(bytes_max) + " bytes.";
}

HttpResponse too_much_at_once() {
  return unavailable_response("Too much is being sent just now: try again.", 2);
}

HttpResponse with_close(HttpResponse response) {
  response.close = true;
  return response;
}

}  // namespace

HttpSession::HttpSession(tcp::socket socket, HttpLane& lane)
    : wire_(std::move(socket)), client_(wire_.client()), lane_(lane), seat_(lane.enter(this)) {}

HttpSession::~HttpSession() {
  release();
  if (state_ != State::closed) lane_.leave(seat_);
}

void HttpSession::start() {
  if (lane_.shared.tls == nullptr) return begin();
  enter(State::handshake, lane_.shared.limits.tls_handshake);
  wire_.peek([self = shared_from_this()](ErrorCode error, unsigned char first) {
    self->on_first_byte(error, first);
  });
}

void HttpSession::on_first_byte(ErrorCode error, unsigned char first) {
  if (state_ == State::closed) return;
  if (error) return close();
  if (first == tls_handshake_record) {
    return wire_.handshake(lane_.shared.tls->current(), [self = shared_from_this()](ErrorCode failed) {
      if (self->state_ == State::closed) return;
      if (failed) return self->close();
      self->begin();
    });
  }
  if (first < 'A' || first > 'Z') return close();
  // A person has typed http:// for https://.
  parser_.emplace();
  keep_alive_ = false;
  respond(with_close(plain_response(400, "This port speaks HTTPS: write https:// for http://.")));
}

void HttpSession::close() {
  if (state_ == State::closed) return;
  state_ = State::closed;
  lane_.leave(seat_);
  wire_.close();
}

void HttpSession::enter(State state, std::chrono::milliseconds limit) {
  state_ = state;
  deadline_ = coarse_now() + limit;
}

std::chrono::milliseconds HttpSession::transfer_limit(std::size_t bytes) const {
  const auto& limits = lane_.shared.limits;
  return limits.transfer + std::chrono::milliseconds(1000 * bytes / limits.transfer_bytes_per_second_min);
}

// --- reading -----------------------------------------------------------------------------------------

void HttpSession::begin() {
  const auto& limits = lane_.shared.limits;
  parser_.emplace();
  parser_->eager(false);
  parser_->header_limit(static_cast<std::uint32_t>(limits.header_bytes_max));
  parser_->body_limit(boost::none);  // checked by method, when that is known
  header_bytes_ = 0;
  exchange_.reset();
  if (buffer_.size() > 0) {  // pipelined
    enter(State::header, limits.header);
    return parse_header();
  }
  if (lane_.shared.stopping) return close();
  if (buffer_.capacity() > buffer_bytes_kept) buffer_ = boost::beast::flat_buffer();
  enter(State::idle, limits.idle);
  lane_.move_to_back(seat_);
  read();
}

void HttpSession::read() {
  const std::size_t size = state_ == State::body ? read_bytes_large : read_bytes_small;
  wire_.read_some(buffer_.prepare(size), [self = shared_from_this()](ErrorCode error, std::size_t count) {
    self->on_read(error, count);
  });
}

void HttpSession::on_read(ErrorCode error, std::size_t count) {
  if (state_ == State::closed) return;
  if (error) return close();
  buffer_.commit(count);
  switch (state_) {
    case State::idle:
      enter(State::header, lane_.shared.limits.header);
      return parse_header();
    case State::header:
      return parse_header();
    case State::body:
      return parse_body();
    case State::linger:
      lingered_bytes_ += count;
      buffer_.consume(count);
      return linger();
    default:
      return close();
  }
}

void HttpSession::parse_header() {
  ErrorCode error;
  const std::size_t used = parser_->put(buffer_.data(), error);
  buffer_.consume(used);
  header_bytes_ += used;
  const std::size_t waiting = parser_->is_header_done() ? 0 : buffer_.size();
  if (header_bytes_ + waiting > lane_.shared.limits.header_bytes_max)
    return on_parse_error(http::error::header_limit);
  if (parser_->is_header_done() && (!error || error == http::error::need_more)) return on_header();
  if (error && error != http::error::need_more) return on_parse_error(error);
  read();
}

void HttpSession::on_parse_error(ErrorCode error) {
  const auto& limits = lane_.shared.limits;
  keep_alive_ = false;
  is_head_ = false;
  is_version_10_ = false;
  const auto refuse = [&](unsigned status, std::string_view sentence) {
    respond(with_close(plain_response(status, sentence)));
  };
  if (error == http::error::header_limit) {
    return refuse(431, "The headers are larger than " + std::to_string(limits.header_bytes_max) + " bytes.");
  }
  if (error == http::error::body_limit) {
    if (!parser_->is_header_done()) return refuse(413, too_large(limits.body_bytes_max));
    return respond(with_close(
        too_large_response(exchange_->http, too_large(body_bytes_max(exchange_->http.method, limits)))));
  }
  if (error == http::error::bad_version) {
    return refuse(505,
                  "This server speaks HTTP/1.1 and HTTP/1.0. (If that was meant: a space in the URL is "
                  "written %20, and lines end in CR LF.)");
  }
  refuse(400, "This is no HTTP request (" + error.message() + ").");
}

void HttpSession::on_header() {
  const auto& message = parser_->get();
  exchange_ = std::make_shared<Exchange>();
  HttpRequest& request = exchange_->http;
  request.method = view(message.method_string());
  request.target = view(message.target());
  request.version = message.version();
  request.headers.reserve(static_cast<std::size_t>(std::distance(message.begin(), message.end())));
  for (const auto& field : message)
    request.headers.emplace_back(view(field.name_string()), view(field.value()));
  exchange_->client = client_;
  exchange_->post = [self = weak_from_this(),
                     executor = wire_.executor()](std::move_only_function<void()> run) {
    asio::post(executor, [self = self.lock(), run = std::move(run)]() mutable { run(); });
  };
  is_version_10_ = request.version == 10;
  is_head_ = request.method == "HEAD";
  keep_alive_ = message.keep_alive();
  enter(State::admission, std::chrono::hours(1));  // bounded by the pair's client
  if (auto refusal = check_header()) return on_admitted(std::move(refusal));
  lane_.shared.front->admit(exchange_, [self = shared_from_this()](std::optional<HttpResponse> refusal) {
    if (self->state_ != State::closed) self->on_admitted(std::move(refusal));
  });
}

std::optional<HttpResponse> HttpSession::check_header() const {
  const auto& limits = lane_.shared.limits;
  const HttpRequest& request = exchange_->http;
  if (request.version != 10 && request.version != 11) {
    return with_close(plain_response(505, "This server speaks HTTP/1.1 and HTTP/1.0."));
  }
  if (request.target.size() > limits.target_bytes_max) {
    return with_close(
        plain_response(414, "The URL is longer than " + std::to_string(limits.target_bytes_max) + " bytes."));
  }
  if (request.headers.size() > limits.headers_max) {
    return with_close(
        plain_response(431, "There are more than " + std::to_string(limits.headers_max) + " headers."));
  }
  const auto hosts = std::ranges::count_if(
      request.headers, [](const auto& header) { return equal_header(header.first, "Host"); });
  if (hosts > 1 || (request.version == 11 && hosts == 0)) {  // RFC 9112, 3.2
    return with_close(plain_response(400, "An HTTP/1.1 request needs a Host header, and just one."));
  }
  if (const auto coding = request.header_list("Transfer-Encoding");
      coding && !equal_header(*coding, "chunked")) {
    return with_close(plain_response(501, "The only Transfer-Encoding known here is chunked."));
  }
  if (const auto expect = request.header("Expect"); expect && !equal_header(*expect, "100-continue")) {
    return with_close(plain_response(417, "The only expectation known here is 100-continue."));
  }
  const std::uint64_t body_max = body_bytes_max(request.method, limits);
  if (parser_->content_length().value_or(0) > body_max) {
    return with_close(too_large_response(request, too_large(body_max)));
  }
  return std::nullopt;
}

// --- the body ----------------------------------------------------------------------------------------

void HttpSession::on_admitted(std::optional<HttpResponse> refusal) {
  if (refusal) return drain_then(std::move(*refusal));
  if (parser_->is_done()) return on_body();
  const std::uint64_t body_max = body_bytes_max(exchange_->http.method, lane_.shared.limits);
  if (!reserve(parser_->content_length().value_or(read_bytes_large))) return drain_then(too_much_at_once());
  parser_->body_limit(body_max);
  parser_->eager(true);
  enter(State::body, transfer_limit(parser_->content_length().value_or(body_max)));
  const bool expects = exchange_->http.version == 11 && exchange_->http.header("Expect").has_value();
  if (expects && buffer_.size() == 0) return say_continue();
  parse_body();
}

/// A small unwanted body is read, so that the connection can go on; a large one ends it.
void HttpSession::drain_then(HttpResponse refusal) {
  if (parser_->is_done()) return respond(std::move(refusal));
  const auto length = parser_->content_length();
  const bool expects = exchange_->http.header("Expect").has_value();
  if (refusal.close || !length || *length > lane_.shared.limits.drain_bytes_max || expects) {
    return respond(with_close(std::move(refusal)));
  }
  refusal_ = std::move(refusal);
  parser_->eager(true);
  enter(State::body, transfer_limit(*length));
  parse_body();
}

/// Bodies live in memory, and all connections share what there is.
bool HttpSession::reserve(std::size_t bytes) {
  auto& all = lane_.shared.body_bytes;
  if (all.fetch_add(bytes) + bytes > lane_.shared.limits.bodies_bytes_max) {
    all.fetch_sub(bytes);
    return false;
  }
  reserved_ += bytes;
  return true;
}

void HttpSession::release() {
  lane_.shared.body_bytes.fetch_sub(reserved_);
  reserved_ = 0;
}

void HttpSession::say_continue() {
  wire_.write({asio::buffer(continue_line), {}}, [self = shared_from_this()](ErrorCode error) {
    if (self->state_ == State::closed) return;
    if (error) return self->close();
    self->parse_body();
  });
}

void HttpSession::parse_body() {
  while (!parser_->is_done()) {
    if (buffer_.size() == 0) return read();
    ErrorCode error;
    const std::size_t used = parser_->put(buffer_.data(), error);
    buffer_.consume(used);
    if (error == http::error::need_more) {
      // What the parser can't take yet is a chunk's header or a trailer: they are short.
      if (buffer_.size() > lane_.shared.limits.header_bytes_max)
        return on_parse_error(http::error::header_limit);
      return read();
    }
    if (error) return on_parse_error(error);
    // A chunked body does not say how large it will be.
    if (parser_->get().body().size() > reserved_ && !refusal_ && !reserve(read_bytes_large)) {
      return respond(with_close(too_much_at_once()));
    }
  }
  on_body();
}

void HttpSession::on_body() {
  if (refusal_) return respond(*std::exchange(refusal_, std::nullopt));
  exchange_->http.body = std::move(parser_->get().body());
  enter(State::answer, std::chrono::hours(1));  // bounded by the pair's client
  lane_.shared.front->answer(exchange_, [self = shared_from_this()](HttpResponse response) {
    if (self->state_ != State::closed) self->respond(std::move(response));
  });
}

// --- answering ---------------------------------------------------------------------------------------

void HttpSession::respond(HttpResponse response) {
  response_ = std::move(response);
  // A client that reads slowly holds its answer in memory.
  if (response_.body.size() > read_bytes_large && !reserve(response_.body.size()))
    response_ = too_much_at_once();
  if (response_.close || lane_.shared.stopping) keep_alive_ = false;
  make_head();
  if (is_head_) response_.body.clear();
  enter(State::write, transfer_limit(response_.body.size()));
  if (wire_.is_tls() && head_.size() + response_.body.size() <= tls_record_bytes) {
    head_.append(response_.body);  // one record, one packet
    response_.body.clear();
  }
  wire_.write({asio::buffer(head_), asio::buffer(response_.body)},
              [self = shared_from_this()](ErrorCode error) { self->on_written(error); });
}

void HttpSession::make_head() {
  const unsigned status = response_.status;
  head_.clear();
  head_.append("HTTP/1.1 ")
      .append(std::to_string(status))
      .append(" ")
      .append(reason_phrase(status))
      .append("\r\n");
  head_.append(lane_.date_line()).append("Server: Pollux\r\n").append(response_.headers);
  if (status != 204 && status != 304) {
    std::array<char, 24> digits{};
    const std::uint64_t length = is_head_ && response_.length ? *response_.length : response_.body.size();
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), length).ptr;
    head_.append("Content-Length: ").append(digits.data(), end).append("\r\n");
  }
  if (!keep_alive_) {
    head_.append("Connection: close\r\n");
  } else if (is_version_10_) {
    head_.append("Connection: keep-alive\r\n");
  }
  head_.append("\r\n");
}

void HttpSession::on_written(ErrorCode error) {
  if (state_ == State::closed) return;
  release();
  response_ = HttpResponse();
  if (error) return close();
  if (keep_alive_) return begin();
  const bool all_read = parser_->is_done() && buffer_.size() == 0;
  if (all_read && !wire_.is_tls()) return close();
  enter(State::linger, lane_.shared.limits.linger);
  lingered_bytes_ = 0;
  buffer_.consume(buffer_.size());
  wire_.finish([self = shared_from_this(), all_read](ErrorCode) {
    if (self->state_ == State::closed) return;
    if (all_read) return self->close();
    self->linger();
  });
}

/// Closing with unread bytes resets the connection, and the client may lose the answer: read what is on its
/// way, within limits.
void HttpSession::linger() {
  if (lingered_bytes_ > lane_.shared.limits.linger_bytes_max) return close();
  read();
}

}  // namespace pollux
