#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "load/load_counts.h"
#include "pollux/bench/load.h"
#include "pollux/core/check.h"

namespace pollux {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::chrono::milliseconds progress_every(250);
// After a call that did not succeed there is a pause, so that a pair that is away isn't hammered.
constexpr std::chrono::milliseconds retry_pause_min(20);

// Lives until its last call has come back, even if the load was given up before.
struct ClosedLoad : std::enable_shared_from_this<ClosedLoad> {
  LoadTarget target;
  std::int64_t measure_from = 0, measure_to = 0;
  std::uint64_t requests_max = 0;

  std::mutex mutex;
  std::condition_variable changed;
  bool sending = true;
  std::uint64_t sent = 0;
  unsigned outstanding = 0;
  struct Parked {
    std::int64_t due = 0;
    std::optional<std::uint64_t> number;  // of the request to be sent again; none: the next one takes its place
  };
  std::vector<Parked> parked;
  ClosedLoadResult result;

  // Sends the request of this number, or the next one if there is to be one.
  void send(std::optional<std::uint64_t> number) {
    std::string payload;
    {
      const std::scoped_lock lock(mutex);
      if (!sending || (!number && sent >= requests_max)) return;
      if (!number) number = sent++;
      payload = target.payload(*number);
      ++outstanding;
    }
    const auto sent_at = monotonic_ns();
    target.send(std::move(payload), [self = shared_from_this(), sent_at, number = *number](const CallResult& call) {
      if (self->finish(call, sent_at, number)) self->send({});
    });
  }

  // Counts a call that came back; true if the next may follow at once.
  bool finish(const CallResult& call, std::int64_t sent_at, std::uint64_t number) {
    const auto now = monotonic_ns();
    const std::scoped_lock lock(mutex);
    POLLUX_CHECK(outstanding > 0);
    --outstanding;
    const bool answered = count_call(call, result.counts);
    if (answered && now >= measure_from && now < measure_to) {
      result.latency.record_ns(now - sent_at);
      ++result.measured_answers;
      const auto second = static_cast<std::size_t>((now - measure_from) / second_ns);
      if (second < result.answers_each_second.size()) ++result.answers_each_second[second];
    }
    if (!answered && sending) {
      const std::chrono::milliseconds told(call ? 0 : call.error().retry_after_ms);
      const std::chrono::nanoseconds pause = std::max(told, retry_pause_min);
      const bool again = !call && call.error().code == Code::busy;
      parked.push_back({now + pause.count(), again ? std::optional(number) : std::nullopt});
    }
    if (!sending || sent >= requests_max) changed.notify_all();
    return answered;
  }

  // Takes out what may be sent now.
  std::vector<Parked> take_due(std::int64_t now) {
    const std::scoped_lock lock(mutex);
    const auto due =
        std::stable_partition(parked.begin(), parked.end(), [now](const auto& p) { return p.due > now; });
    std::vector<Parked> taken(std::make_move_iterator(due), std::make_move_iterator(parked.end()));
    parked.erase(due, parked.end());
    return taken;
  }
};

}  // namespace

std::uint64_t ClosedLoadResult::per_second() const {
  const auto microseconds = static_cast<std::uint64_t>(measured.count() / 1000);
  return microseconds == 0 ? 0 : measured_answers * 1'000'000 / microseconds;
}

ClosedLoadResult run_closed_load(const LoadTarget& target, const ClosedLoadOptions& options) {
  const auto load = std::make_shared<ClosedLoad>();
  load->target = target;
  load->requests_max = options.requests_max;
  load->measure_from = monotonic_ns() + options.warm_up.count();
  load->measure_to = load->measure_from + options.duration.count();
  load->result.answers_each_second.resize(static_cast<std::size_t>(options.duration.count() / second_ns));

  for (unsigned i = 0; i < options.outstanding; ++i) load->send({});

  std::int64_t progress_at = 0;
  for (;;) {
    const auto now = monotonic_ns();
    for (auto& parked : load->take_due(now)) load->send(parked.number);
    std::unique_lock lock(load->mutex);
    const bool over = now >= load->measure_to || (options.stop != nullptr && *options.stop);
    const bool all_sent = load->sent >= load->requests_max && load->outstanding == 0 && load->parked.empty();
    if (over || all_sent) {
      load->sending = false;
      break;
    }
    if (options.progress && now >= progress_at) {
      progress_at = now + std::chrono::nanoseconds(progress_every).count();
      const auto answered = load->result.counts.answered;
      lock.unlock();
      options.progress(answered);
      lock.lock();
    }
    load->changed.wait_for(lock, retry_pause_min);
  }

  const auto ended = std::min(monotonic_ns(), load->measure_to);
  std::unique_lock lock(load->mutex);
  const bool drained =
      load->changed.wait_for(lock, options.drain_limit, [&load] { return load->outstanding == 0; });
  ClosedLoadResult result = load->result;
  result.drained = drained;
  result.measured = std::chrono::nanoseconds(std::max<std::int64_t>(0, ended - load->measure_from));
  result.answers_each_second.resize(static_cast<std::size_t>(result.measured.count() / second_ns));
  return result;
}

void ClosedLoadResult::merge(const ClosedLoadResult& other) {
  const bool first = counts.answered + counts.refused + counts.failed + counts.in_doubt == 0 && measured.count() == 0;
  counts.merge(other.counts);
  latency.merge(other.latency);
  measured += other.measured;
  measured_answers += other.measured_answers;
  answers_each_second.insert(answers_each_second.end(), other.answers_each_second.begin(), other.answers_each_second.end());
  drained = (first || drained) && other.drained;
}

}  // namespace pollux
