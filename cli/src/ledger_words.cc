#include "ledger_words.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "pollux/core/hash.h"

namespace pollux {

namespace {

constexpr std::size_t account_name_bytes_max = 64;
constexpr const char* usage =
    "a ledger takes: open NAME | deposit NAME AMOUNT | transfer FROM TO AMOUNT | balance NAME | total";

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<ledger::Account> account_named(std::string_view name) {
  const bool printable =
      std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) > ' '; });
  if (name.empty() || name.size() > account_name_bytes_max || !printable) {
    return fail(Code::invalid_argument, "an account is called by 1 to 64 characters without spaces");
  }
  if (all_digits(name)) {
    ledger::Account number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{})
      return fail(Code::invalid_argument, "the account number " + std::string(name) + " is too large");
    return number;
  }
  const Hash hash = chain_hash(Hash{}, name);
  ledger::Account out = 0;
  for (int i = 0; i < 8; ++i) out = out << 8 | hash.bytes[static_cast<std::size_t>(i)];
  return out;
}

Result<ledger::Cents> parse_cents(std::string_view text) {
  const auto bad =
      fail(Code::invalid_argument, "\"" + std::string(text) +
                                       "\" is no amount; write e.g. 12 or 12.50, more than 0 and at most "
                                       "two digits after the point");
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string part = point == std::string_view::npos ? "" : std::string(text.substr(point + 1));
  if (!all_digits(whole) || (point != std::string_view::npos && (!all_digits(part) || part.size() > 2)))
    return bad;
  part.resize(2, '0');
  ledger::Cents units = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), units);
  if (error != std::errc{} || units > (std::numeric_limits<ledger::Cents>::max() - 99) / 100) return bad;
  const ledger::Cents cents = units * 100 + (part[0] - '0') * 10 + (part[1] - '0');
  if (cents == 0) return bad;
  return cents;
}

std::string cents_text(ledger::Cents cents) {
  const bool negative = cents < 0;
  const auto absolute = negative ? 0 - static_cast<std::uint64_t>(cents) : static_cast<std::uint64_t>(cents);
  const std::string part = std::to_string(absolute % 100);
  return (negative ? "-" : "") + std::to_string(absolute / 100) + "." + (part.size() < 2 ? "0" : "") + part;
}

Result<LedgerCall> parse_ledger_words(const std::vector<std::string>& words) {
  const std::string& verb = words.at(0);
  const auto given = [&](std::size_t count) { return words.size() == count + 1; };
  if (verb == "total" && given(0)) {
    return LedgerCall{ledger::encode(ledger::Query{ledger::AskTotal{}}), true, true, {}, {}};
  }
  const bool known = ((verb == "open" || verb == "balance") && given(1)) || (verb == "deposit" && given(2)) ||
                     (verb == "transfer" && given(3));
  if (!known) return fail(Code::invalid_argument, usage);
  const Result<ledger::Account> account = account_named(words[1]);
  if (!account) return std::unexpected(account.error());
  if (verb == "balance") {
    return LedgerCall{
        ledger::encode(ledger::Query{ledger::AskBalance{*account}}), true, false, words[1], {words[1]}};
  }
  if (verb == "open") {
    return LedgerCall{
        ledger::encode(ledger::Request{ledger::OpenAccount{*account}}), false, false, words[1], {words[1]}};
  }
  const Result<ledger::Cents> cents = parse_cents(words.back());
  if (!cents) return std::unexpected(cents.error());
  if (verb == "deposit") {
    return LedgerCall{ledger::encode(ledger::Request{ledger::Deposit{*account, *cents, {}}}),
                      false,
                      false,
                      words[1],
                      {words[1]}};
  }
  const Result<ledger::Account> to = account_named(words[2]);
  if (!to) return std::unexpected(to.error());
  return LedgerCall{ledger::encode(ledger::Request{ledger::Transfer{*account, *to, *cents, {}}}),
                    false,
                    false,
                    words[1],
                    {words[1], words[2]}};
}

std::string in_words_of(const LedgerCall& call, std::string text) {
  for (const std::string& name : call.accounts) {
    const std::string number = "account " + std::to_string(account_named(name).value_or(0));
    const std::size_t at = text.find(number);
    if (at == std::string::npos) continue;
    const std::size_t end = at + number.size();
    if (end < text.size() && text[end] >= '0' && text[end] <= '9') continue;  // a longer number
    text.replace(at, number.size(), "account " + name);
  }
  return text;
}

}  // namespace pollux
