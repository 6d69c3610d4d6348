#include "started/ledger_pair.h"

#include <algorithm>

#include "run/interrupt.h"
#include "pollux/ledger/ledger.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds in_sync_limit(120);
constexpr std::chrono::seconds settle_limit(120);
constexpr std::chrono::seconds call_limit(60);
constexpr ledger::Cents opening_cents = 1000;

// Scatters consecutive numbers (splitmix64's finisher).
std::uint64_t scattered(std::uint64_t n) {
  n += 0x9e3779b97f4a7c15ULL;
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9ULL;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebULL;
  return n ^ (n >> 31);
}

Error not_answered(const std::string& what, const CallResult& result) {
  if (!result) return {result.error().code, what + ": " + result.error().text};
  return {result->code, what + ": " + result->payload};
}

}  // namespace

Result<std::unique_ptr<LedgerPair>> LedgerPair::start(const LedgerPairOptions& options) {
  std::unique_ptr<LedgerPair> pair(new LedgerPair);
  pair->accounts_ = options.accounts;
  auto spawned = SpawnedPair::start({.command = options.command,
                                     .parent = options.parent,
                                     .service = "ledger",
                                     .pair_settings = options.pair_settings,
                                     .node_settings = options.node_settings,
                                     .cpus_a = options.cpus_a,
                                     .cpus_b = options.cpus_b,
                                     .environment = options.environment});
  if (!spawned) return std::unexpected(spawned.error());
  pair->spawned_ = std::move(*spawned);
  const auto ready = [&pair] { return pair->spawned_->in_sync() || !pair->spawned_->node()->running(); };
  SpawnedPair::wait_until(ready, in_sync_limit, &InterruptGuard::flag());
  if (!pair->spawned_->in_sync()) {
    return fail(Code::unreachable, "the pair did not come up: " + pair->spawned_->describe());
  }
  for (unsigned i = 0; i < options.requesters; ++i) {
    auto requester = Requester::open(pair->spawned_->address(), {.deadline = call_limit});
    if (!requester) return std::unexpected(requester.error());
    pair->requesters_.push_back(std::move(*requester));
  }
  if (auto opened = pair->open_accounts(); !opened) return std::unexpected(opened.error());
  return pair;
}

Result<void> LedgerPair::open_accounts() {
  for (std::uint32_t first = 0; first < accounts_;) {
    if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
    const auto count = std::min(accounts_ - first, ledger::open_many_max);
    const auto opened = requesters_.front()->call(ledger::encode(
        ledger::Request(ledger::OpenMany{.first = first, .count = count, .cents = opening_cents})));
    if (!opened || opened->code != Code::ok)
      return std::unexpected(not_answered("can't open accounts", opened));
    booked_ += std::int64_t{count} * opening_cents;
    first += count;
  }
  return {};
}

LoadTarget LedgerPair::deposits() {
  const auto turn = std::make_shared<std::atomic<std::size_t>>(0);
  return {.send =
              [this, turn](std::string payload, CallDone done) {
                requesters_[(*turn)++ % requesters_.size()]->call_async(std::move(payload), std::move(done));
              },
          .payload =
              [accounts = accounts_](std::uint64_t n) {
                return ledger::encode_padded_deposit(scattered(n) % accounts, 1, request_bytes);
              }};
}

Result<void> LedgerPair::account_for(const LoadCounts& counts) {
  booked_ += static_cast<std::int64_t>(counts.answered);
  for (const auto& sync : counts.doubts) {
    CallResult outcome = std::unexpected(CallError{});
    // Only the requester that sent it has its session.
    for (const auto& requester : requesters_) {
      outcome = requester->outcome(sync, call_limit);
      if (outcome || outcome.error().code != Code::session_expired) break;
    }
    const Code code = outcome ? outcome->code : outcome.error().code;
    if (code == Code::ok) ++booked_;
    // A tombstone: it was not executed, and never will be.
    if (code != Code::ok && code != Code::tombstone) {
      return std::unexpected(not_answered("a request stayed in doubt", outcome));
    }
  }
  return {};
}

EndCheck LedgerPair::check() {
  EndCheck check;
  // They are asked one after the other, and a change of roles makes a record whenever it comes. What counts is one
  // look in which both are at rest at the same LSN: then the hashes there tell.
  Result<MemberStatus> a = spawned_->status(0), b = spawned_->status(1);
  const auto at_rest = [&] {
    a = spawned_->status(0);
    b = spawned_->status(1);
    return a && b && a->committed == b->committed && a->durable == a->committed && b->durable == b->committed &&
           a->applied == a->committed && b->applied == b->committed;
  };
  const bool rested = SpawnedPair::wait_until(at_rest, settle_limit, &InterruptGuard::flag());
  if (!a || !b) {
    check.wrong = "a member is away at the end: " + spawned_->describe();
    return check;
  }
  check.lsn = a->committed;
  check.hash = a->committed_hash;
  if (!rested) {
    check.wrong = "the members did not come to rest at the same LSN: " + spawned_->describe();
    return check;
  }
  check.trails_equal = a->committed_hash == b->committed_hash && !a->committed_hash.empty();
  if (!check.trails_equal) {
    check.wrong = "the members' trails differ at the end: " + spawned_->describe();
    return check;
  }
  const auto answer = requesters_.front()->query(ledger::encode(ledger::Query(ledger::AskTotal{})));
  if (!answer || answer->code != Code::ok) {
    check.wrong = not_answered("the ledger does not tell its sum", answer).text;
    return check;
  }
  const auto total = ledger::decode_total(answer->payload);
  if (!total) {
    check.wrong = total.error().text;
    return check;
  }
  check.sum_right = total->cents == booked_ && total->deposited == booked_ && total->accounts == accounts_;
  if (!check.sum_right) {
    check.wrong = "the ledger holds " + std::to_string(total->cents) + " cents, and it acknowledged " +
                  std::to_string(booked_);
  }
  return check;
}

std::vector<MemberAtLoad> LedgerPair::members() const {
  std::vector<MemberAtLoad> members;
  for (const std::size_t i : {0, 1}) {
    MemberAtLoad member{.name = spawned_->pair().members[i].name};
    if (const auto status = spawned_->status(i)) {
      member.role = status->role;
      member.sessions = status->sessions;
      member.lag_at_end = member.lag_largest =
          status->committed > status->applied ? status->committed - status->applied : 0;
      member.memory_at_start = member.memory_largest = resident_anonymous_bytes(status->pid);
      member.processor_ns = processor_time_ns(status->pid);
    }
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace pollux
