#include "rows.h"

#include <array>
#include <stdexcept>

namespace pollux::ledger {
namespace {

constexpr std::size_t number_bytes = 8;

std::array<char, number_bytes> big_endian(std::uint64_t number) {
  std::array<char, number_bytes> bytes{};
  for (std::size_t i = 0; i < number_bytes; ++i) bytes[i] = static_cast<char>(number >> (8 * (number_bytes - 1 - i)));
  return bytes;
}

}  // namespace

std::string account_key(Account account) {
  const auto bytes = big_endian(account);
  std::string key(accounts_begin);
  key.append(bytes.data(), bytes.size());
  return key;
}

std::string cents_row(Cents cents) {
  const auto bytes = big_endian(static_cast<std::uint64_t>(cents));
  return {bytes.data(), bytes.size()};
}

Cents read_cents(std::string_view row) {
  if (row.size() != number_bytes) throw std::runtime_error("a row of the ledger is not an amount");
  std::uint64_t number = 0;
  for (const char byte : row) number = number << 8 | static_cast<std::uint8_t>(byte);
  return static_cast<Cents>(number);
}

std::optional<Cents> get_cents(ReadTxn& txn, std::string_view key) {
  const auto row = txn.get(key);
  if (!row) return std::nullopt;
  return read_cents(*row);
}

}  // namespace pollux::ledger
