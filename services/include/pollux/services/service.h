// The service API: what you write to have your own service run as a pair.
//
// A service is a class with two functions. `execute` changes state, one request at a time; its changes and
// its reply are journaled on both members before the caller is answered. `query` reads committed state,
// many at a time. State is a sorted map of byte strings. The service object itself must hold no state that
// matters: after a takeover the backup's object goes on with the same map.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

/// A reply, stored with the request's record: a retry of the request gets these very bytes again.
struct ServiceReply {
  Code code = Code::ok;  ///< `ok`, or one of the service codes (not_found ... conflict)
  std::string payload;
};

/// A request or query as a service sees it.
struct ServiceRequest {
  std::string_view payload;
  WallTime time;  ///< the record's time: use it, not the clock, so that a replay tells the same story
};

/// A stored row can't be read. Thrown through the service's functions; do not catch it.
class ServiceStorageError : public std::runtime_error {
 public:
  explicit ServiceStorageError(Error error) : std::runtime_error(error.text), error_(std::move(error)) {}
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
};

/// Reads of one consistent state. Valid only during the call it was given to.
class ReadTxn {
 public:
  virtual ~ReadTxn() = default;
  /// The row's value, or none. Throws ServiceStorageError if a stored row is damaged.
  [[nodiscard]] virtual std::optional<std::string> get(std::string_view key) = 0;
  /// Rows with from <= key < to in key order (to empty: to the end) until `row` returns false. The views
  /// passed to `row` are valid only during that call. Do not write from within it.
  virtual void scan(std::string_view from, std::string_view to,
                    const std::function<bool(std::string_view key, std::string_view value)>& row) = 0;
};

/// Reads that see their own writes, and writes. All of them become one record, or none does.
class WriteTxn : public ReadTxn {
 public:
  /// key: 1 to 480 bytes. All changes of a request together: at most the record's limit (64 MiB encoded, 2^20
  /// changes). Throws std::length_error beyond.
  virtual void put(std::string_view key, std::string_view value) = 0;
  virtual void erase(std::string_view key) = 0;
};

class Service {
 public:
  virtual ~Service() = default;

  /// Executes one request. An exception aborts it: no changes, and the caller gets `aborted` with what().
  /// A code other than `ok` is an answer, not an abort: changes made are kept. Never blocks for long: past
  /// the pair's `execute_limit_ms` the member aborts and the request is quarantined.
  virtual ServiceReply execute(const ServiceRequest& request, WriteTxn& txn) = 0;

  /// Answers a query from committed state. Called from several threads at a time.
  virtual ServiceReply query(const ServiceRequest& request, ReadTxn& txn) = 0;

  /// Does this request free space, such as a deletion? Such requests are executed even while the disk is nearly full,
  /// out of a reserve kept for them, and others are answered `full`. Say so only of requests that are small
  /// themselves and whose changes are mostly erasures. Asked from another thread than `execute`, and only while the disk
  /// is nearly full; be quick. Default: none does.
  [[nodiscard]] virtual bool frees_space(std::string_view payload) const;

  /// One line for a person about a request (for `pollux audit show`). Default: its size.
  [[nodiscard]] virtual std::string describe(std::string_view payload) const;
};

/// Makes a fresh service object by its name in the configuration ("ledger", "groupware").
using ServiceFactory = std::function<std::unique_ptr<Service>()>;

}  // namespace pollux
