// Messages to one receiver that leave as one.
//
// Who has many ready (the replies of a batch that was committed, the requests that follow them) hands them over
// at once: the receiver is woken once instead of for each, and works through them side by side with the next
// flush. A batch is a frame of kind `batch`, then each message with its length before it (32 bits,
// little-endian).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "pollux/core/result.h"

namespace pollux {

/// A batch that has grown to so much is sent.
inline constexpr std::size_t message_batch_bytes = 64u << 10;

class MessageBatch {
 public:
  void add(std::string&& message);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return bytes_.size() >= message_batch_bytes; }
  /// What to send; then it is empty. A single message leaves as it is.
  std::string take();

 private:
  std::string bytes_;
  std::size_t count_ = 0;
};

/// Calls `each` with every message of a batch, or with `bytes` themselves if they are none. Returns the number
/// of messages; `malformed` or `wrong_version` if they claim to be a batch and are not: then nothing is called.
Result<std::size_t> for_each_message(std::string_view bytes, const std::function<void(std::string_view)>& each);

}  // namespace pollux
