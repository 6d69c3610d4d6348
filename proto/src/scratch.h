// One wire message per type and thread, used again and again, so that encoding and decoding on the hot path
// rarely allocate.
#pragma once

#include <google/protobuf/message_lite.h>

#include <climits>
#include <string>
#include <string_view>

#include "pollux/core/check.h"

namespace pollux {

/// A message larger than this gives its memory back.
inline constexpr std::size_t scratch_keep_bytes_max = 64u << 10;

/// Not for nested use with the same message type on one thread.
template <class Message>
class Scratch {
 public:
  Scratch() : message_(shared()) {}
  ~Scratch() {
    if (bytes_ <= scratch_keep_bytes_max) {
      message_.Clear();
    } else {
      Message fresh;
      fresh.Swap(&message_);
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Message* operator->() { return &message_; }
  Message& operator*() { return message_; }

  [[nodiscard]] bool parse(std::string_view bytes) {
    bytes_ = bytes.size();
    if (bytes.size() > INT_MAX) return false;
    return message_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  }

  /// Appends the encoded message to `bytes`, and reserves `extra` more.
  void append_to(std::string* bytes, std::size_t extra = 0) {
    bytes_ = message_.ByteSizeLong();
    POLLUX_CHECK_WHY(bytes_ <= INT_MAX, "a message above protobuf's limit");
    const std::size_t before = bytes->size();
    bytes->reserve(before + bytes_ + extra);
    bytes->resize_and_overwrite(before + bytes_, [&](char* buffer, std::size_t size) {
      message_.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(buffer) + before);
      return size;
    });
  }

 private:
  static Message& shared() {
    thread_local Message message;
    return message;
  }

  Message& message_;
  std::size_t bytes_ = 0;
};

}  // namespace pollux
