// Words for the ledger: "deposit alice 12.50" to what the ledger is asked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pollux/ledger/ledger.h"

namespace pollux {

/// An account by name: a whole number is itself, any other name a hash of it. 1 to 64 printable bytes.
Result<ledger::Account> account_named(std::string_view name);
/// "12", "12.5" or "12.50", more than 0.
Result<ledger::Cents> parse_cents(std::string_view text);
std::string cents_text(ledger::Cents cents);

struct LedgerCall {
  std::string payload;
  bool query = false;
  bool total = false;                 ///< answered with a Total, else with a Balance
  std::string about;                  ///< whose balance the answer is
  std::vector<std::string> accounts;  ///< the accounts as they were called
};
Result<LedgerCall> parse_ledger_words(const std::vector<std::string>& words);
/// What the ledger says, which knows accounts by number, in the words of the call.
std::string in_words_of(const LedgerCall& call, std::string text);

}  // namespace pollux
