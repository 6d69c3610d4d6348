#include "queries.h"

#include <exception>
#include <optional>

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
    answer(*query, run_one(*query));
  }
}

ServiceReply Queries::run_one(const RunQuery& query) {
  auto view = StateView::open(parts_.state.tables(), parts_.state.overlay(), [this] { return parts_.state.committed(); });
  if (!view) return {Code::aborted, cat("the state can't be read: ", view.error().text)};
  ViewReadTxn txn(**view);
  try {
    ServiceReply reply = parts_.service.query({.payload = query.payload, .time = read_clocks().wall}, txn);
    if (reply.payload.size() <= options_.reply_bytes_max) return reply;
    return {Code::too_large, cat("the answer has ", reply.payload.size(), " bytes, more than the ",
                                 options_.reply_bytes_max, " allowed (reply_bytes_max)")};
  } catch (const std::exception& failure) {
    return {Code::aborted, failure.what()};
  } catch (...) {
    return {Code::aborted, "the service threw something that is not a std::exception"};
  }
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
