#include "executor.h"

#include <algorithm>
#include <exception>
#include <limits>

#include "clocks.h"
#include "pollux/core/check.h"
#include "pollux/proto/record_codec.h"
#include "text.h"
#include "thread_name.h"
#include "transactions.h"

namespace pollux {
namespace {

constexpr Lsn everything{std::numeric_limits<std::uint64_t>::max()};

/// What a service may answer: `ok`, or a code of its own.
bool is_service_code(Code code) {
  return code == Code::ok || (code >= Code::not_found && code <= Code::conflict);
}

/// What a record says whose request the service was never asked about.
std::string verdict_text(Code verdict) {
  switch (verdict) {
    case Code::quarantined:
      return "this request stopped a member before, so it is not tried again; report it to who wrote the service";
    case Code::deadline_exceeded:
      return "the request's deadline passed before its turn came; it was not executed";
    case Code::tombstone:
      return "the request was asked about before it arrived, so it will never be executed";
    default: return "";
  }
}

}  // namespace

void Executor::start() {
  thread_ = std::thread([this] {
    name_this_thread("executor");
    run();
  });
}

void Executor::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ready_.notify_all();
  thread_.join();
}

void Executor::give(std::vector<Execute::Item>& items) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (given_.empty()) {
      given_.swap(items);
    } else {
      std::move(items.begin(), items.end(), std::back_inserter(given_));
    }
    wake = sleeping_;
  }
  items.clear();
  if (wake) ready_.notify_one();
}

void Executor::reset(const Position& last) {
  const std::lock_guard lock(mutex_);
  given_.clear();
  given_after_ = last;
  parts_.state.begin_generation(last.lsn);
}

void Executor::run() {
  parts_.mark.guard_this_thread();
  std::vector<Execute::Item> items;
  while (wait_for_work(items)) {
    if (!failed_) execute_all(items);
    items.clear();
  }
  view_.reset();
  parts_.mark.unguard_this_thread();
}

bool Executor::wait_for_work(std::vector<Execute::Item>& items) {
  std::unique_lock lock(mutex_);
  while (given_.empty() && !stopping_) {
    sleeping_ = true;
    if (view_) {
      const bool idle = ready_.wait_for(lock, options_.view_idle) == std::cv_status::timeout;
      if (idle && given_.empty()) view_.reset();
    } else {
      ready_.wait(lock);
    }
    sleeping_ = false;
  }
  if (stopping_) return false;
  items.swap(given_);
  const std::uint64_t newest = parts_.state.generation();
  if (generation_ != newest) {
    generation_ = newest;
    last_ = given_after_;
  }
  return true;
}

bool Executor::execute_all(std::vector<Execute::Item>& items) {
  std::vector<RecordPtr> done;
  Instant first_done{};
  for (Execute::Item& item : items) {
    if (parts_.state.generation() != generation_) return false;  // the rest, and what is not posted, is void
    if (!refresh_view()) return false;
    RecordPtr record = execute(item);
    if (!record || !parts_.state.add_executed(record, generation_)) return false;
    last_ = record->position();
    done.push_back(std::move(record));

    const Instant now = steady_now();
    if (done.size() == 1) first_done = now;
    if (done.size() >= options_.batch_records || now - first_done >= options_.batch_for) post(done);
  }
  post(done);
  return true;
}

RecordPtr Executor::execute(Execute::Item& item) {
  POLLUX_CHECK_WHY(item.lsn == last_.lsn.next(), "items come in LSN order, without a gap");
  parts_.state.note_time(item.time_at_least);
  Record record;
  record.lsn = item.lsn;
  record.epoch = item.epoch;
  record.time = parts_.state.newest_time();
  record.kind = item.kind;
  record.sync = item.sync;
  record.ack_below = item.ack_below;
  record.trace = item.trace;
  if (item.leads != nullptr) record.leads = *item.leads;
  if (item.kind == RecordKind::tombstone && !item.verdict) item.verdict = Code::tombstone;

  if (item.verdict) {
    record.code = *item.verdict;
    record.reply = verdict_text(*item.verdict);
  } else if (item.kind == RecordKind::request) {
    call_service(item, record);
    if (failed_) return nullptr;
  }
  parts_.counters.executed.fetch_add(1, std::memory_order_relaxed);
  return seal(record, last_.hash);
}

void Executor::call_service(const Execute::Item& item, Record& record) {
  StagedWriteTxn txn(*view_);
  parts_.mark.begin(item.sync);
  try {
    ServiceReply reply = parts_.service.execute({.payload = item.payload, .time = record.time}, txn);
    parts_.mark.end();
    if (!is_service_code(reply.code)) {
      return abort_with(record, cat("the service answered with the code ", to_string(reply.code),
                                    ", which is not a service's to give"));
    }
    if (reply.payload.size() > options_.reply_bytes_max) {
      return abort_with(record, cat("the reply has ", reply.payload.size(), " bytes, more than the ",
                                    options_.reply_bytes_max, " allowed (reply_bytes_max)"));
    }
    record.code = reply.code;
    record.reply = std::move(reply.payload);
    record.changes = txn.take_changes();
  } catch (const ServiceStorageError& failure) {
    parts_.mark.end();
    // With a backup there, it is better placed: its tables are its own. The last copy goes on with the rest.
    if (!parts_.solo()) return storage_failed(failure.error());
    abort_with(record, cat("a stored row can't be read: ", failure.what()));
  } catch (const std::exception& failure) {
    parts_.mark.end();
    abort_with(record, failure.what());
  } catch (...) {
    parts_.mark.end();
    abort_with(record, "the service threw something that is not a std::exception");
  }
}

void Executor::abort_with(Record& record, std::string why) {
  parts_.counters.aborted.fetch_add(1, std::memory_order_relaxed);
  if (why.size() > text_bytes_max) why.resize(text_bytes_max);
  record.changes.clear();
  record.code = Code::aborted;
  record.reply = std::move(why);
}

bool Executor::refresh_view() {
  const Lsn applied = parts_.state.applied();
  if (view_ && view_applied_ == applied) return true;
  const auto upto = [] { return everything; };
  if (view_) {
    if (auto renewed = view_->renew(upto); !renewed) return storage_failed(renewed.error()), false;
  } else {
    auto opened = StateView::open(parts_.state.tables(), parts_.state.overlay(), upto);
    if (!opened) return storage_failed(opened.error()), false;
    view_ = *std::move(opened);
  }
  view_applied_ = applied;
  return true;
}

void Executor::post(std::vector<RecordPtr>& records) {
  if (records.empty()) return;
  parts_.inbox.post(ExecutedBatch{generation_, std::exchange(records, {})});
}

void Executor::storage_failed(Error error) {
  failed_ = true;
  parts_.inbox.post(Event{StorageFailed{std::move(error)}});
}

}  // namespace pollux
