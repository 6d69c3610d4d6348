// Requests and answers to bytes and back.
#include <string>

#include "ledger.pb.h"
#include "pollux/core/check.h"
#include "pollux/ledger/ledger.h"

namespace pollux::ledger {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

/// One message a type and thread, used again and again: a ledger decodes tens of thousands a second.
template <class Message>
Message& reused() {
  thread_local Message message;
  message.Clear();
  return message;
}

template <class Message>
std::string serialize(const Message& message) {
  std::string bytes;
  POLLUX_CHECK(message.SerializeToString(&bytes));
  return bytes;
}

/// The message is this thread's, until the next one of its type.
template <class Message>
Result<Message*> parse(std::string_view bytes, const char* what) {
  Message& message = reused<Message>();
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return fail(Code::malformed, std::string("these bytes are not a ledger's ") + what);
  }
  return &message;
}

}  // namespace

std::string encode(const Request& request) {
  auto& message = reused<wire::Request>();
  std::visit(Overloaded{[&](const OpenAccount& body) { message.mutable_open_account()->set_account(body.account); },
                        [&](const Deposit& body) {
                          auto* deposit = message.mutable_deposit();
                          deposit->set_account(body.account);
                          deposit->set_cents(body.cents);
                          deposit->set_memo(body.memo);
                        },
                        [&](const Transfer& body) {
                          auto* transfer = message.mutable_transfer();
                          transfer->set_from(body.from);
                          transfer->set_to(body.to);
                          transfer->set_cents(body.cents);
                          transfer->set_memo(body.memo);
                        },
                        [&](const OpenMany& body) {
                          auto* many = message.mutable_open_many();
                          many->set_first(body.first);
                          many->set_count(body.count);
                          many->set_cents(body.cents);
                        },
                        [&](const Misbehave& body) {
                          message.mutable_misbehave()->set_how(static_cast<std::uint32_t>(body.how));
                          message.mutable_misbehave()->set_ms(body.ms);
                        }},
             request);
  return serialize(message);
}

Result<Request> decode_request(std::string_view bytes) {
  const auto parsed = parse<wire::Request>(bytes, "request");
  if (!parsed) return std::unexpected(parsed.error());
  auto* const message = *parsed;
  switch (message->body_case()) {
    case wire::Request::kOpenAccount: return OpenAccount{message->open_account().account()};
    case wire::Request::kDeposit: {
      auto& body = *message->mutable_deposit();
      return Deposit{body.account(), body.cents(), std::move(*body.mutable_memo())};
    }
    case wire::Request::kTransfer: {
      auto& body = *message->mutable_transfer();
      return Transfer{body.from(), body.to(), body.cents(), std::move(*body.mutable_memo())};
    }
    case wire::Request::kOpenMany: {
      const auto& body = message->open_many();
      return OpenMany{body.first(), body.count(), body.cents()};
    }
    case wire::Request::kMisbehave: {
      const auto& body = message->misbehave();
      constexpr auto last = static_cast<std::uint32_t>(Misbehave::How::overflow);
      if (body.how() < 1 || body.how() > last) return fail(Code::malformed, "this misbehaviour is not known");
      return Misbehave{static_cast<Misbehave::How>(body.how()), body.ms()};
    }
    case wire::Request::BODY_NOT_SET: break;
  }
  return fail(Code::malformed, "a request of a kind that this ledger does not know");
}

std::string encode(const Query& query) {
  wire::Query message;
  std::visit(Overloaded{[&](const AskBalance& body) { message.mutable_balance()->set_account(body.account); },
                        [&](const AskTotal&) { message.mutable_total(); }},
             query);
  return serialize(message);
}

Result<Query> decode_query(std::string_view bytes) {
  const auto parsed = parse<wire::Query>(bytes, "query");
  if (!parsed) return std::unexpected(parsed.error());
  auto* const message = *parsed;
  switch (message->body_case()) {
    case wire::Query::kBalance: return AskBalance{message->balance().account()};
    case wire::Query::kTotal: return AskTotal{};
    case wire::Query::BODY_NOT_SET: break;
  }
  return fail(Code::malformed, "a query of a kind that this ledger does not know");
}

std::string encode(const Balance& balance) {
  wire::Balance message;
  message.set_cents(balance.cents);
  return serialize(message);
}

Result<Balance> decode_balance(std::string_view bytes) {
  const auto parsed = parse<wire::Balance>(bytes, "balance");
  if (!parsed) return std::unexpected(parsed.error());
  auto* const message = *parsed;
  return Balance{message->cents()};
}

std::string encode(const Total& total) {
  wire::Total message;
  message.set_accounts(total.accounts);
  message.set_cents(total.cents);
  message.set_deposited(total.deposited);
  return serialize(message);
}

Result<Total> decode_total(std::string_view bytes) {
  const auto parsed = parse<wire::Total>(bytes, "total");
  if (!parsed) return std::unexpected(parsed.error());
  auto* const message = *parsed;
  return Total{message->accounts(), message->cents(), message->deposited()};
}

std::string encode_padded_deposit(Account account, Cents cents, std::size_t bytes) {
  constexpr std::size_t bytes_min = 32;
  POLLUX_CHECK(bytes >= bytes_min && bytes <= memo_bytes_max);
  auto& message = reused<wire::Request>();
  auto* const deposit = message.mutable_deposit();
  deposit->set_account(account);
  deposit->set_cents(cents);
  // The lengths inside are varints, so the overhead depends on the size: two looks find it, but for the one size
  // in a few hundred that a varint skips, where the memo is a byte shorter and the amount's varint can't make up.
  std::size_t memo = bytes / 2;
  for (int look = 0; look < 3; ++look) {
    deposit->mutable_memo()->assign(memo, '.');
    const std::size_t now = message.ByteSizeLong();
    if (now == bytes) break;
    memo += bytes - now;
  }
  deposit->mutable_memo()->assign(memo, '.');
  return serialize(message);
}

}  // namespace pollux::ledger
