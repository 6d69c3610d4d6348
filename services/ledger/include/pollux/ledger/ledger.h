// The ledger: accounts, deposits, transfers, balances. A small service whose sum can be checked: money comes in
// by deposits only, so the balances of all accounts always add up to what was deposited.
//
// Amounts are whole cents (fixed point), checked against overflow. This header is all that a caller needs: make a
// request, encode it, call the pair, decode the answer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "pollux/core/result.h"
#include "pollux/services/service.h"

namespace pollux::ledger {

using Account = std::uint64_t;  ///< any number, chosen by the caller
using Cents = std::int64_t;

inline constexpr std::size_t memo_bytes_max = 4096;
inline constexpr std::uint32_t open_many_max = 10'000;   ///< accounts in one OpenMany
inline constexpr std::uint32_t sleep_ms_max = 600'000;

// ---- requests: each changes something, and is answered with a Balance ----

/// `already_exists` if it is open.
struct OpenAccount {
  Account account = 0;
};
/// `not_found`, or `invalid_argument` if cents <= 0 or the sum would overflow. The memo is kept in the request only.
struct Deposit {
  Account account = 0;
  Cents cents = 0;
  std::string memo;
};
/// `not_found`; `insufficient` if `from` holds less; `invalid_argument` if cents <= 0, or from == to. Answered with
/// the new balance of `from`.
struct Transfer {
  Account from = 0, to = 0;
  Cents cents = 0;
  std::string memo;
};
/// Opens accounts first ... first + count - 1 with a deposit of `cents` (>= 0) each; those that are open already stay as
/// they are, so that a chunk can be sent again. Answered with the sum that was deposited.
struct OpenMany {
  Account first = 0;
  std::uint32_t count = 0;
  Cents cents = 0;
};
/// For tests of what a bad service does to its pair. `forbidden` unless the member's environment has
/// POLLUX_LEDGER_TEST_REQUESTS=1.
struct Misbehave {
  enum class How : std::uint8_t {
    crash = 1,     ///< abort()
    hang = 2,      ///< never returns
    throw_up = 3,  ///< throws after having written a row
    sleep = 4,     ///< for `ms`
    leave = 5,     ///< _exit()
    overflow = 6,  ///< of the stack: a crash whose handler needs a stack of its own
  };
  How how = How::crash;
  std::uint32_t ms = 0;
};
using Request = std::variant<OpenAccount, Deposit, Transfer, OpenMany, Misbehave>;

// ---- queries ----

/// `not_found`. Answered with a Balance.
struct AskBalance {
  Account account = 0;
};
/// Reads every account. Answered with a Total.
struct AskTotal {};
using Query = std::variant<AskBalance, AskTotal>;

// ---- answers, with code `ok`; with any other code the payload is a sentence ----

struct Balance {
  Cents cents = 0;
};
struct Total {
  std::uint64_t accounts = 0;
  Cents cents = 0;      ///< of all accounts
  Cents deposited = 0;  ///< ever; equal to `cents`, or something is wrong
};

std::string encode(const Request& request);
std::string encode(const Query& query);
std::string encode(const Balance& balance);
std::string encode(const Total& total);
Result<Request> decode_request(std::string_view bytes);  ///< `malformed`
Result<Query> decode_query(std::string_view bytes);
Result<Balance> decode_balance(std::string_view bytes);
Result<Total> decode_total(std::string_view bytes);

/// A deposit whose encoding has exactly `bytes` bytes, padded by its memo: what the benchmark sends. Requires
/// bytes >= 32 and <= memo_bytes_max.
std::string encode_padded_deposit(Account account, Cents cents, std::size_t bytes);

std::unique_ptr<Service> make_service();

}  // namespace pollux::ledger
