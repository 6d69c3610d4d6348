// Closed load of HTTP requests over connections that are kept: each connection sends the next request when it
// has the answer to the one before. One thread, so that as much as can be is left to the server on a small
// host.
//
// Every answer is checked. A server that closes a connection after an answer (HTTP/1.0) is connected to anew,
// and that time counts as the request's.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/bench/histogram.h"
#include "pollux/core/result.h"

namespace pollux {

/// What a right answer is.
struct HttpExpected {
  std::vector<int> statuses = {200};
  std::optional<std::uint64_t> body_bytes;  ///< none: any length
  bool etag = false;                        ///< it must bear one
};
struct HttpRequest {
  std::string bytes;  ///< head and body
  HttpExpected expected;
};

struct HttpLoadOptions {
  std::string address;
  unsigned connections = 1;
  /// The n-th request, n = 0, 1, ... `into` is what the connection sent before.
  std::function<void(std::uint64_t n, HttpRequest& into)> request;
  std::chrono::nanoseconds warm_up = std::chrono::milliseconds(200);  ///< 0: the first answer counts
  std::chrono::nanoseconds duration = std::chrono::seconds(1);
  /// Goes on beyond `duration` until so many answers were measured, but not beyond `duration_max`.
  std::uint64_t answers_min = 1;
  std::chrono::nanoseconds duration_max = std::chrono::seconds(10);
  std::uint64_t requests_max = UINT64_MAX;
  /// Requests a second, due at fixed times and timed from then, whatever became of those before; they wait for a
  /// connection that is free. 0: the next one is sent when one is answered.
  std::uint64_t rate = 0;
  /// Instead of `rate`: when the n-th request is due, counted from the begin; it must not fall as n rises. Needs
  /// requests_max.
  std::function<std::chrono::nanoseconds(std::uint64_t n)> due = {};
  /// Looks at the body of the n-th answer, which is right otherwise; what it returns is wrong with it, empty is
  /// nothing. Bodies are kept only for this.
  std::function<std::string(std::uint64_t n, std::string_view body, std::int64_t time_ns)> on_answer = {};
  std::chrono::nanoseconds drain_limit = std::chrono::seconds(60);  ///< wait for the last answers
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t answered)> progress;  ///< a few times a second
};

struct HttpLoadResult {
  Histogram latency;  ///< of the answers measured
  std::uint64_t measured_answers = 0;
  /// From the first answer after the warm-up (which is not counted; without warm-up: from the begin) to the
  /// last one counted, so that slow answers are not cut off.
  std::chrono::nanoseconds measured{};
  std::uint64_t answered = 0, failed = 0,
                sent = 0;  ///< warm-up and the end included; answered ones were right
  std::uint64_t connects = 0;
  std::int64_t behind_ns = 0;  ///< at a rate: the longest time between when one was due and when it was sent
  std::uint64_t unsent = 0;  ///< at a rate: were due, and no connection became free; in `latency` as censored
  bool drained = true;  ///< every request was answered or failed before drain_limit
  std::string first_error;

  /// Thousandths of an answer a second.
  [[nodiscard]] std::uint64_t per_second_milli() const;
};
/// answers / time in thousandths a second, rounded down; 0 without a time.
std::uint64_t rate_milli(std::uint64_t answers, std::chrono::nanoseconds time);

HttpLoadResult run_http_load(const HttpLoadOptions& options);

}  // namespace pollux
