// The executor: calls the service, one request at a time, and seals what it did into records.
//
// It works ahead of everything else: its results are visible to the next request at once (overlay), and to
// queries and callers only when core says that they are committed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core_inbox.h"
#include "counters.h"
#include "executing_mark.h"
#include "pollux/audit/state.h"
#include "pollux/core/actions.h"
#include "pollux/services/service.h"
#include "shared_state.h"

namespace pollux {

struct ExecutorOptions {
  std::size_t reply_bytes_max = 8u << 20;
  /// Executed records wait for company this long, or until there are so many, before core is woken.
  Duration batch_for = std::chrono::microseconds(200);
  std::size_t batch_records = 64;
  /// An idle executor gives its view of the tables back after this, so that old pages can be used again.
  std::chrono::milliseconds view_idle{100};
};

class Executor {
 public:
  struct Parts {
    Service& service;
    SharedState& state;
    ExecutingMark& mark;
    CoreInbox& inbox;
    MemberCounters& counters;
    std::function<bool()> solo;  ///< is there no backup? (an atomic of core's thread)
  };
  Executor(const Parts& parts, const ExecutorOptions& options) : parts_(parts), options_(options) {}
  ~Executor() { stop(); }

  void start();
  /// Waits for the request in execution.
  void stop();

  // Called by core's thread.
  /// Takes the items over and leaves `items` empty.
  void give(std::vector<Execute::Item>& items);
  /// Throws away what was given; the next item follows `last`. Batches of older generations are void.
  void reset(const Position& last);
  [[nodiscard]] std::uint64_t generation() const { return parts_.state.generation(); }

 private:
  void run();
  bool wait_for_work(std::vector<Execute::Item>& items);
  bool execute_all(std::vector<Execute::Item>& items);
  RecordPtr execute(Execute::Item& item);
  void call_service(const Execute::Item& item, Record& record);
  void abort_with(Record& record, std::string why);
  bool refresh_view();
  void post(std::vector<RecordPtr>& records);
  void storage_failed(Error error);

  const Parts parts_;
  const ExecutorOptions options_;

  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Execute::Item> given_;
  Position given_after_;           ///< of the newest reset
  bool sleeping_ = false, stopping_ = false;

  // Used by the executor's thread only.
  std::unique_ptr<StateView> view_;
  Lsn view_applied_;
  Position last_;
  std::uint64_t generation_ = 0;
  bool failed_ = false;            ///< the state can't be read: core was told, nothing is executed any more
  std::thread thread_;
};

}  // namespace pollux
