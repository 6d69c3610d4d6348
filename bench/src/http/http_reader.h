// Reads the answers of a server under test: HTTP/1.1 and 1.0, as much as a load generator must understand. It
// copies no body that nobody asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pollux {

struct HttpHead {
  int status = 0;
  bool keep_alive = true;                      ///< the connection may be used again
  bool chunked = false;                        ///< RFC 9112 section 7.1
  std::optional<std::uint64_t> content_bytes;  ///< none: chunked, or the body ends with the connection
  std::string etag;                            ///< empty: none
};

/// One answer at a time: begin(), then take() until done().
class HttpReader {
 public:
  static constexpr std::size_t head_bytes_max = 64u << 10;

  void begin(bool keep_body);
  /// Takes what came in and returns how many bytes of it belonged to this answer.
  std::size_t take(std::string_view bytes);
  /// The peer closed the connection: that ends a body whose length was not told.
  void closed();

  [[nodiscard]] bool done() const { return state_ == State::done; }
  /// Empty, or why this is no answer, or why it was cut off.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] bool begun() const { return state_ != State::head || !pending_.empty(); }
  [[nodiscard]] const HttpHead& head() const { return head_; }
  [[nodiscard]] std::uint64_t body_bytes() const { return body_bytes_; }
  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  enum class State { head, counted, to_the_end, chunk_size, chunk, chunk_end, trailer, done, wrong };
  std::size_t take_head(std::string_view bytes);
  std::size_t take_body(std::string_view bytes);
  std::size_t take_line(std::string_view bytes);
  void on_line(std::string_view line);
  void parse_head(std::string_view head);
  void choose_body();
  void fail(std::string why);

  State state_ = State::head;
  HttpHead head_;
  std::string pending_, body_, wrong_;
  std::uint64_t left_ = 0, body_bytes_ = 0;
  bool keep_body_ = false;
};

}  // namespace pollux
