#include "queries.h"

#include <exception>
#include <optional>
#include <utility>

#include "clocks.h"
#include "text.h"
#include "thread_name.h"
#include "transactions.h"

namespace pollux {

void Queries::start() {
  for (std::size_t i = 0; i < options_.threads; ++i) {
    threads_.emplace_back([this] {
      name_this_thread("query");
      run();
    });
  }
}

void Queries::stop() {
  stopping_ = true;
  waiting_.stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Queries::give(RunQuery query) {
  if (waiting_.size() < options_.waiting_max) return waiting_.push(std::move(query));
  parts_.counters.queries_refused.fetch_add(1, std::memory_order_relaxed);
  answer(query, {Code::busy, "too many queries are waiting (queue_reads_max)"});
}

void Queries::run() {
  std::optional<RunQuery> query;
  while (waiting_.take_one(query) != Taken::stopped && !stopping_) {
    parts_.counters.queries.fetch_add(1, std::memory_order_relaxed);
    if (std::optional<ServiceReply> reply = run_one(*query)) answer(*query, std::move(*reply));
  }
}

std::optional<ServiceReply> Queries::run_one(const RunQuery& query) {
  auto view = StateView::open(parts_.state.tables(), parts_.state.overlay(), [this] { return parts_.state.committed(); });
  if (!view) return ServiceReply{Code::aborted, cat("the state can't be read: ", view.error().text)};
  ViewReadTxn txn(**view);
  try {
    ServiceReply reply = parts_.service.query({.payload = query.payload, .time = read_clocks().wall}, txn);
    if (reply.payload.size() <= options_.reply_bytes_max) return reply;
    return ServiceReply{Code::too_large, cat("the answer has ", reply.payload.size(), " bytes, more than the ",
                                             options_.reply_bytes_max, " allowed (reply_bytes_max)")};
  } catch (const ServiceStorageError& failure) {
    return cannot_read(failure.error());
  } catch (const std::exception& failure) {
    return ServiceReply{Code::aborted, failure.what()};
  } catch (...) {
    return ServiceReply{Code::aborted, "the service threw something that is not a std::exception"};
  }
}

/// As with a request: with a backup there, it is better placed, for its tables are its own. The last copy goes
/// on with the rest, and says what it can't read.
std::optional<ServiceReply> Queries::cannot_read(const Error& error) {
  if (!parts_.solo()) {
    parts_.inbox.post(Event{StorageFailed{error}});
    return std::nullopt;
  }
  {
    const std::lock_guard lock(told_mutex_);
    if (std::exchange(told_last_, error.text) != error.text) parts_.log.error(error.text);
  }
  return ServiceReply{Code::aborted, cat("a stored row can't be read: ", error.text)};
}

void Queries::answer(const RunQuery& query, ServiceReply reply) {
  RequesterReply message;
  message.number = query.number;
  message.code = reply.code;
  message.payload = std::move(reply.payload);
  message.epoch = query.epoch;
  message.primary = options_.run;
  message.serving = true;
  if (message.code == Code::busy) message.retry_after_ms = options_.busy_retry_ms;
  parts_.inbox.post(QueryAnswer{query.route, std::move(message)});
}

}  // namespace pollux
