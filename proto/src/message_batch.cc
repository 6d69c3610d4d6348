#include "pollux/proto/message_batch.h"

#include <utility>

#include "frame.h"
#include "pollux/core/check.h"

namespace pollux {
namespace {

constexpr std::size_t length_bytes = 4;

void append_length(std::size_t size, std::string* bytes) {
  for (unsigned shift = 0; shift < 32; shift += 8) bytes->push_back(static_cast<char>(size >> shift & 0xff));
}

/// Takes the next message off `rest`; false if its length does not fit.
bool next_message(std::string_view* rest, std::string_view* message) {
  if (rest->size() < length_bytes) return false;
  std::size_t size = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>((*rest)[i])) << (8 * i);
  }
  rest->remove_prefix(length_bytes);
  if (size > rest->size()) return false;
  *message = rest->substr(0, size);
  rest->remove_prefix(size);
  return true;
}

}  // namespace

void MessageBatch::add(std::string&& message) {
  POLLUX_CHECK(message.size() <= message_bytes_max);
  ++count_;
  if (count_ == 1) {
    bytes_ = std::move(message);
    return;
  }
  if (count_ == 2) {
    std::string first = std::exchange(bytes_, {});
    bytes_.reserve(2 * (first.size() + message.size()));
    append_frame(MessageKind::batch, &bytes_);
    append_length(first.size(), &bytes_);
    bytes_.append(first);
  }
  append_length(message.size(), &bytes_);
  bytes_.append(message);
}

std::string MessageBatch::take() {
  count_ = 0;
  return std::exchange(bytes_, {});
}

Result<std::size_t> for_each_message(std::string_view bytes, const std::function<void(std::string_view)>& each) {
  if (message_kind(bytes) != MessageKind::batch) {
    each(bytes);
    return 1;
  }
  const auto content = open_frame(MessageKind::batch, bytes);
  if (!content) return std::unexpected(content.error());
  std::string_view rest = *content, message;
  while (!rest.empty()) {
    if (!next_message(&rest, &message)) return fail(Code::malformed, "malformed batch: a length does not fit");
  }
  std::size_t count = 0;
  for (rest = *content; !rest.empty(); ++count) {
    next_message(&rest, &message);
    each(message);
  }
  return count;
}

}  // namespace pollux
