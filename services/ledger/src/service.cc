// The ledger's rules.
#include <limits>
#include <string>

#include "misbehave.h"
#include "pollux/ledger/ledger.h"
#include "rows.h"

namespace pollux::ledger {
namespace {

ServiceReply refuse(Code code, std::string text) { return {code, std::move(text)}; }

std::string name(Account account) { return "account " + std::to_string(account); }

ServiceReply not_found(Account account) { return refuse(Code::not_found, "there is no " + name(account)); }

/// a + b, or none on overflow.
std::optional<Cents> sum(Cents a, Cents b) {
  Cents result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<ServiceReply> bad_amount(Cents cents, const std::string& memo) {
  if (cents <= 0) return refuse(Code::invalid_argument, "an amount must be more than zero");
  if (memo.size() > memo_bytes_max) {
    return refuse(Code::invalid_argument, "a memo has at most " + std::to_string(memo_bytes_max) + " bytes");
  }
  return std::nullopt;
}

class LedgerService final : public Service {
 public:
  ServiceReply execute(const ServiceRequest& request, WriteTxn& txn) override {
    const auto decoded = decode_request(request.payload);
    if (!decoded) return refuse(Code::invalid_argument, decoded.error().text);
    return std::visit([&](const auto& body) { return execute(body, txn); }, *decoded);
  }

  ServiceReply query(const ServiceRequest& request, ReadTxn& txn) override {
    const auto decoded = decode_query(request.payload);
    if (!decoded) return refuse(Code::invalid_argument, decoded.error().text);
    return std::visit([&](const auto& body) { return query(body, txn); }, *decoded);
  }

  [[nodiscard]] std::string describe(std::string_view payload) const override {
    const auto decoded = decode_request(payload);
    if (!decoded) return decoded.error().text;
    return std::visit([](const auto& body) { return describe(body); }, *decoded);
  }

 private:
  static ServiceReply execute(const OpenAccount& request, WriteTxn& txn) {
    const std::string key = account_key(request.account);
    if (txn.get(key)) return refuse(Code::already_exists, name(request.account) + " is open already");
    txn.put(key, cents_row(0));
    return {Code::ok, encode(Balance{0})};
  }

  static ServiceReply execute(const Deposit& request, WriteTxn& txn) {
    if (auto bad = bad_amount(request.cents, request.memo)) return *std::move(bad);
    const std::string key = account_key(request.account);
    const auto balance = get_cents(txn, key);
    if (!balance) return not_found(request.account);
    // The sum of all deposits bounds every balance, so this is the one place where money could overflow.
    const auto deposited = sum(get_cents(txn, deposited_key).value_or(0), request.cents);
    const auto after = sum(*balance, request.cents);
    if (!deposited || !after) return refuse(Code::invalid_argument, "the ledger can't hold so much");
    txn.put(deposited_key, cents_row(*deposited));
    txn.put(key, cents_row(*after));
    return {Code::ok, encode(Balance{*after})};
  }

  static ServiceReply execute(const Transfer& request, WriteTxn& txn) {
    if (auto bad = bad_amount(request.cents, request.memo)) return *std::move(bad);
    if (request.from == request.to) return refuse(Code::invalid_argument, "a transfer needs two accounts");
    const std::string from_key = account_key(request.from), to_key = account_key(request.to);
    const auto from = get_cents(txn, from_key);
    if (!from) return not_found(request.from);
    const auto to = get_cents(txn, to_key);
    if (!to) return not_found(request.to);
    if (*from < request.cents) {
      return refuse(Code::insufficient, name(request.from) + " holds " + std::to_string(*from) + " cents, not " +
                                            std::to_string(request.cents));
    }
    const auto to_after = sum(*to, request.cents);
    if (!to_after) return refuse(Code::invalid_argument, name(request.to) + " can't hold so much");
    txn.put(from_key, cents_row(*from - request.cents));
    txn.put(to_key, cents_row(*to_after));
    return {Code::ok, encode(Balance{*from - request.cents})};
  }

  static ServiceReply execute(const OpenMany& request, WriteTxn& txn) {
    if (request.count == 0 || request.count > open_many_max) {
      return refuse(Code::invalid_argument, "1 to " + std::to_string(open_many_max) + " accounts can be opened at a time");
    }
    if (request.first > std::numeric_limits<Account>::max() - (request.count - 1)) {
      return refuse(Code::invalid_argument, "there are no accounts of such numbers");
    }
    if (request.cents < 0) return refuse(Code::invalid_argument, "an amount must not be negative");
    Cents added = 0;
    auto deposited = get_cents(txn, deposited_key).value_or(0);
    for (std::uint32_t i = 0; i < request.count; ++i) {
      const std::string key = account_key(request.first + i);
      if (txn.get(key)) continue;
      const auto more = sum(deposited, request.cents);
      // By an exception, so that the accounts opened before it in this request do not stay.
      if (!more) throw std::overflow_error("the ledger can't hold so much");
      deposited = *more;
      added += request.cents;
      txn.put(key, cents_row(request.cents));
    }
    txn.put(deposited_key, cents_row(deposited));
    return {Code::ok, encode(Balance{added})};
  }

  static ServiceReply execute(const Misbehave& request, WriteTxn& txn) {
    if (!may_misbehave()) {
      return refuse(Code::forbidden, "test requests are off (POLLUX_LEDGER_TEST_REQUESTS=1 turns them on)");
    }
    return misbehave(request, txn);
  }

  static ServiceReply query(const AskBalance& request, ReadTxn& txn) {
    const auto balance = get_cents(txn, account_key(request.account));
    if (!balance) return not_found(request.account);
    return {Code::ok, encode(Balance{*balance})};
  }

  static ServiceReply query(const AskTotal&, ReadTxn& txn) {
    Total total;
    total.deposited = get_cents(txn, deposited_key).value_or(0);
    bool overflow = false;
    txn.scan(accounts_begin, accounts_end, [&](std::string_view, std::string_view row) {
      ++total.accounts;
      const auto more = sum(total.cents, read_cents(row));
      overflow = !more;
      total.cents = more.value_or(0);
      return !overflow;
    });
    if (overflow) return refuse(Code::conflict, "the accounts hold more than could be deposited");
    return {Code::ok, encode(total)};
  }

  static std::string describe(const OpenAccount& request) { return "open " + name(request.account); }
  static std::string describe(const Deposit& request) {
    return "deposit " + std::to_string(request.cents) + " cents to " + name(request.account);
  }
  static std::string describe(const Transfer& request) {
    return "transfer " + std::to_string(request.cents) + " cents from " + name(request.from) + " to " + name(request.to);
  }
  static std::string describe(const OpenMany& request) {
    return "open " + std::to_string(request.count) + " accounts from " + std::to_string(request.first);
  }
  static std::string describe(const Misbehave&) { return "misbehave (a test)"; }
};

}  // namespace

std::unique_ptr<Service> make_service() { return std::make_unique<LedgerService>(); }

}  // namespace pollux::ledger
