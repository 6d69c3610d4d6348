// What the other threads tell the thread that runs core. An eventfd wakes that thread from its poll, and only
// from there: while it works, a post costs no system call.
#pragma once

#include <cstdint>
#include <mutex>
#include <variant>
#include <vector>

#include "file_io.h"
#include "pollux/core/events.h"
#include "pollux/core/record.h"
#include "pollux/core/requester_messages.h"

namespace pollux {

/// Records of one generation of the executor: after ResetExecutor, those of an older one are dropped.
struct ExecutedBatch {
  std::uint64_t generation = 0;
  std::vector<RecordPtr> records;
};
/// A query's answer on its way to the caller.
struct QueryAnswer {
  Route route;
  RequesterReply reply;
};
using Input = std::variant<Event, ExecutedBatch, QueryAnswer>;

class CoreInbox {
 public:
  CoreInbox();

  void post(Input input);
  /// Readable when something was posted since `begin_sleep`.
  [[nodiscard]] int fd() const { return wake_.get(); }
  /// To be asked before waiting for fd(). False: there is something to drain.
  [[nodiscard]] bool begin_sleep();
  /// Swaps everything into `out`, which must be empty. Ends the sleep.
  void drain(std::vector<Input>& out);

 private:
  FileDescriptor wake_;
  std::mutex mutex_;
  std::vector<Input> inputs_;
  bool sleeping_ = false;
  bool signalled_ = false;  ///< the eventfd was written since the last drain
};

}  // namespace pollux
