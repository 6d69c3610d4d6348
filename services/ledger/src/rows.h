// The ledger's rows: an account's balance under its number, and the sum of all deposits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pollux/ledger/ledger.h"

namespace pollux::ledger {

/// "a" and the number, most significant byte first, so that scans go in order of numbers.
std::string account_key(Account account);
inline constexpr std::string_view accounts_begin = "a";
inline constexpr std::string_view accounts_end = "b";
inline constexpr std::string_view deposited_key = "deposited";

std::string cents_row(Cents cents);
/// Throws std::runtime_error if the row is not an amount: our own mistake, or damage that no checksum saw.
Cents read_cents(std::string_view row);

std::optional<Cents> get_cents(ReadTxn& txn, std::string_view key);

}  // namespace pollux::ledger
