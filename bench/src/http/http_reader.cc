#include "http/http_reader.h"

#include <strings.h>

#include <algorithm>
#include <charconv>

namespace pollux {

namespace {

constexpr std::string_view head_end = "\r\n\r\n";

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool has_word(std::string_view value, std::string_view word) {
  for (std::size_t at = 0; at + word.size() <= value.size(); ++at) {
    if (same_name(value.substr(at, word.size()), word)) return true;
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void HttpReader::begin(bool keep_body) {
  state_ = State::head;
  head_ = {};
  pending_.clear();
  body_.clear();
  wrong_.clear();
  left_ = body_bytes_ = 0;
  keep_body_ = keep_body;
}

void HttpReader::fail(std::string why) {
  state_ = State::wrong;
  wrong_ = std::move(why);
}

std::size_t HttpReader::take(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && state_ != State::done && state_ != State::wrong) {
    const auto rest = bytes.substr(taken);
    switch (state_) {
      case State::head:
        taken += take_head(rest);
        break;
      case State::counted:
      case State::to_the_end:
      case State::chunk:
        taken += take_body(rest);
        break;
      default:
        taken += take_line(rest);
    }
  }
  return taken;
}

std::size_t HttpReader::take_head(std::string_view bytes) {
  // A head comes in one piece nearly always: then nothing is copied.
  if (pending_.empty()) {
    if (const auto end = bytes.find(head_end); end != std::string_view::npos) {
      parse_head(bytes.substr(0, end + 2));
      return end + head_end.size();
    }
  }
  const auto before = pending_.size();
  pending_.append(bytes);
  const auto end = pending_.find(head_end, before < head_end.size() ? 0 : before - head_end.size());
  if (end == std::string::npos) {
    if (pending_.size() > head_bytes_max) fail("the answer's head is longer than 64 KiB");
    return bytes.size();
  }
  const auto taken = end + head_end.size() - before;
  const std::string head = pending_.substr(0, end + 2);
  pending_.clear();
  parse_head(head);
  return taken;
}

void HttpReader::parse_head(std::string_view head) {
  const auto line_end = head.find("\r\n");
  const auto first = head.substr(0, line_end);
  const auto status = first.size() < 12 ? std::nullopt : number(first.substr(9, 3), 10);
  if (!first.starts_with("HTTP/1.") || !status) {
    return fail("no HTTP answer: \"" + std::string(first.substr(0, 60)) + "\"");
  }
  head_ = {};
  head_.status = static_cast<int>(*status);
  head_.keep_alive = first[7] != '0';
  head.remove_prefix(line_end + 2);
  while (!head.empty()) {
    const auto end = head.find("\r\n");
    const auto line = head.substr(0, end);
    head.remove_prefix(end + 2);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return fail("a header without a colon");
    const auto name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (same_name(name, "content-length")) {
      head_.content_bytes = number(value, 10);
      if (!head_.content_bytes) return fail("Content-Length is no number");
    } else if (same_name(name, "transfer-encoding")) {
      head_.chunked = has_word(value, "chunked");
    } else if (same_name(name, "connection")) {
      if (has_word(value, "close")) head_.keep_alive = false;
      if (has_word(value, "keep-alive")) head_.keep_alive = true;
    } else if (same_name(name, "etag")) {
      head_.etag = value;
    }
  }
  choose_body();
}

void HttpReader::choose_body() {
  if (head_.status >= 100 && head_.status < 200) {
    state_ = State::head;  // an interim answer: the real one follows
  } else if (head_.status == 204 || head_.status == 304) {
    state_ = State::done;
  } else if (head_.chunked) {
    state_ = State::chunk_size;
  } else if (head_.content_bytes) {
    left_ = *head_.content_bytes;
    state_ = left_ == 0 ? State::done : State::counted;
  } else {
    head_.keep_alive = false;
    state_ = State::to_the_end;
  }
}

std::size_t HttpReader::take_body(std::string_view bytes) {
  const auto count =
      state_ == State::to_the_end ? bytes.size() : std::min<std::uint64_t>(left_, bytes.size());
  if (keep_body_) body_.append(bytes.substr(0, count));
  body_bytes_ += count;
  if (state_ == State::to_the_end) return count;
  left_ -= count;
  if (left_ == 0) state_ = state_ == State::chunk ? State::chunk_end : State::done;
  return count;
}

std::size_t HttpReader::take_line(std::string_view bytes) {
  const auto end = bytes.find('\n');
  if (end == std::string_view::npos) {
    pending_.append(bytes);
    if (pending_.size() > head_bytes_max) fail("a line between the chunks is longer than 64 KiB");
    return bytes.size();
  }
  pending_.append(bytes.substr(0, end));
  if (!pending_.empty() && pending_.back() == '\r') pending_.pop_back();
  const std::string line = std::move(pending_);
  pending_.clear();
  on_line(line);
  return end + 1;
}

void HttpReader::on_line(std::string_view line) {
  if (state_ == State::chunk_end) {
    if (!line.empty()) return fail("a chunk is longer than it said");
    state_ = State::chunk_size;
  } else if (state_ == State::trailer) {
    if (line.empty()) state_ = State::done;
  } else {
    const auto size = number(trimmed(line.substr(0, line.find(';'))), 16);
    if (!size) return fail("a chunk without a size");
    left_ = *size;
    state_ = left_ == 0 ? State::trailer : State::chunk;
  }
}

void HttpReader::closed() {
  if (state_ == State::to_the_end) {
    state_ = State::done;
  } else if (state_ != State::done && state_ != State::wrong) {
    fail("the connection was closed " + std::string(begun() ? "within an answer" : "without an answer"));
  }
}

}  // namespace pollux
