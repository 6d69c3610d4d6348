// The executor's thread: one request at a time, on the tables with the overlay on top.
#include <algorithm>
#include <utility>

#include "pollux/core/check.h"
#include "pollux/proto/record_codec.h"
#include "simulation/process.h"
#include "simulation/world.h"

namespace pollux::testing {

Position Process::overlay_top() const {
  return overlay_.empty() ? member_.disk.tables.applied : overlay_.back()->position();
}

void Process::add_to_overlay(const RecordPtr& record) {
  const Position top = overlay_top();
  if (record->record.lsn <= top.lsn) {
    // After a recovery the trail refilled the overlay; core may say it again, but nothing else.
    if (record->record.lsn <= member_.disk.tables.applied.lsn) return;
    const auto index = record->record.lsn.value - member_.disk.tables.applied.lsn.value - 1;
    POLLUX_CHECK_WHY(overlay_[index]->hash == record->hash, "another record is in the overlay at this LSN");
    return;
  }
  POLLUX_CHECK_WHY(record->record.lsn == top.lsn.next(), "a gap in the overlay");
  POLLUX_CHECK_WHY(chain_hash(top.hash, record->bytes) == record->hash, "a record in the overlay does not chain");
  overlay_.push_back(record);
}

void Process::cut_overlay(Lsn upto) {
  POLLUX_CHECK_WHY(upto >= member_.disk.tables.applied.lsn, "the overlay is cut below what the tables show");
  while (!overlay_.empty() && overlay_.back()->record.lsn > upto) overlay_.pop_back();
}

std::optional<std::string> Process::row(const std::string& key, Lsn upto) const {
  for (auto record = overlay_.rbegin(); record != overlay_.rend(); ++record) {
    if ((*record)->record.lsn > upto) continue;
    for (const ChangeView& change : (*record)->record.changes) {
      if (change.key != key) continue;
      return change.value ? std::optional<std::string>(*change.value) : std::nullopt;
    }
  }
  const auto found = member_.disk.tables.rows.find(key);
  return found == member_.disk.tables.rows.end() ? std::nullopt : std::optional(found->second);
}

void Process::on(AddToOverlay& action) { add_to_overlay(action.record); }

void Process::on(Execute& action) {
  for (Execute::Item& item : action.items) {
    POLLUX_CHECK_WHY(item.lsn == (executor_.queue.empty() ? executor_.last : Position{executor_.queue.back().lsn, {}}).lsn.next() ||
                         executor_.busy,
                     "the executor is given an LSN out of order");
    executor_.queue.push_back(std::move(item));
  }
  execute_next();
}

void Process::on(ResetExecutor& action) {
  executor_.queue.clear();
  executor_.done.clear();
  ++executor_.generation;
  executor_.last = action.last;
  cut_overlay(action.last.lsn);
  POLLUX_CHECK_WHY(overlay_top() == action.last, "the executor is to go on from a state that is not there");
}

void Process::execute_next() {
  if (executor_.busy || executor_.queue.empty() || dead_) return;
  executor_.busy = true;
  const Execute::Item item = std::move(executor_.queue.front());
  executor_.queue.pop_front();
  const auto request = item.kind == RecordKind::request && !item.verdict ? RegisterRequest::parse(item.payload)
                                                                         : std::nullopt;
  if (request) {
    member_.disk.in_execution = item.sync;
    world_.observe([&](Observer& observer) { observer.on_execute(member_, item.sync, *request); });
    if (request->verb == Verb::kill) {
      // Not from within core's step: the process dies a little later, with the request in execution.
      later(Source::executor, random_.about(world_.plan().execute), [this] { member_.die(Death::poison); });
      return;
    }
    if (request->verb == Verb::hang) return;  // busy for ever: core's watch over the executor must end it
  }
  later(Source::executor, random_.about(world_.plan().execute),
        [this, item, generation = executor_.generation] {
          executor_.busy = false;
          member_.disk.in_execution.reset();
          if (generation == executor_.generation) finish_execution(item);
          execute_next();
        });
}

void Process::finish_execution(const Execute::Item& item) {
  POLLUX_CHECK_WHY(item.lsn == executor_.last.lsn.next(), "an item executed out of order");
  POLLUX_CHECK_WHY(overlay_top() == executor_.last, "the executor's state is not the one of the LSN before");
  Record record{.lsn = item.lsn, .epoch = item.epoch, .time = item.time_at_least, .kind = item.kind};
  record.time = std::max(record.time, overlay_.empty() ? member_.disk.tables.time : overlay_.back()->record.time);
  record.sync = item.sync;
  record.ack_below = item.ack_below;
  record.trace = item.trace;
  if (item.leads != nullptr) record.leads = *item.leads;
  if (item.kind == RecordKind::tombstone) record.code = Code::tombstone;
  if (item.verdict) {
    record.code = *item.verdict;
    record.reply = "verdict";
  } else if (item.kind == RecordKind::request) {
    const auto request = RegisterRequest::parse(item.payload);
    POLLUX_CHECK_WHY(request.has_value(), "a payload that no requester sent");
    RegisterResult result = execute_register(
        *request, [this](const std::string& key) { return row(key, executor_.last.lsn); });
    record.code = result.code;
    record.reply = std::move(result.reply);
    record.changes = std::move(result.changes);
  }
  const Hash previous = executor_.last.hash;
  const RecordPtr sealed = seal(std::move(record), previous);
  executor_.last = sealed->position();
  overlay_.push_back(sealed);
  world_.observe([&](Observer& observer) { observer.on_record(member_, sealed, previous); });
  world_.after_execution(member_, *sealed);
  executor_.done.push_back(sealed);
  if (!executor_.queue.empty() && random_.chance(0.5)) return;
  later(Source::executor, Duration{}, [this, done = std::exchange(executor_.done, {}), generation = executor_.generation] {
    if (generation == executor_.generation) step(Executed{done});
  });
}

}  // namespace pollux::testing
