#include "http/pair_client.h"

#include <chrono>
#include <utility>

namespace pollux {
namespace {

PairReply to_reply(CallResult result) {
  if (result) return {result->code, std::move(result->payload), 0};
  return {result.error().code, std::move(result.error().text), result.error().retry_after_ms};
}

/// Of a call that was in doubt: only these say what became of it.
bool is_known(Code code) {
  return code == Code::tombstone || code == Code::aborted || code == Code::quarantined;
}

class RequesterPair final : public PairClient {
 public:
  RequesterPair(std::unique_ptr<Requester> requester, std::chrono::milliseconds wait,
                std::chrono::milliseconds outcome_wait)
      : requester_(std::move(requester)), wait_(wait), outcome_wait_(outcome_wait) {}

  void execute(std::string payload, PairDone done) override {
    requester_->call_async(
        std::move(payload),
        [this, done = std::move(done)](CallResult result) { settle(std::move(result), done); }, wait_);
  }

  void query(std::string payload, PairDone done) override {
    requester_->query_async(
        std::move(payload),
        [done = std::move(done)](CallResult result) { done(to_reply(std::move(result))); }, wait_);
  }

 private:
  void settle(CallResult result, const PairDone& done) {
    if (result || duty(result.error().code) != Duty::ask) return done(to_reply(std::move(result)));
    requester_->outcome_async(
        result.error().sync,
        [done](CallResult outcome) {
          if (!outcome && !is_known(outcome.error().code)) outcome.error().code = Code::in_doubt;
          done(to_reply(std::move(outcome)));
        },
        outcome_wait_);
  }

  std::unique_ptr<Requester> requester_;
  const std::chrono::milliseconds wait_, outcome_wait_;
};

class PairWithReads final : public PairClient {
 public:
  PairWithReads(std::unique_ptr<PairClient> pair, std::unique_ptr<ReadsBeside> beside, std::unique_ptr<Service> service)
      : pair_(std::move(pair)), beside_(std::move(beside)), service_(std::move(service)) {}

  void execute(std::string payload, PairDone done) override { pair_->execute(std::move(payload), std::move(done)); }

  void query(std::string payload, PairDone done) override {
    ServiceReply reply;
    const bool found = beside_->read([&](ReadTxn& txn) {
      reply = service_->query({.payload = payload, .time = wall_now()}, txn);
    });
    if (found) return done({reply.code, std::move(reply.payload), 0});
    pair_->query(std::move(payload), std::move(done));
  }

  bool read(const std::function<void(ReadTxn&)>& read) override { return beside_->read(read); }

 private:
  const std::unique_ptr<PairClient> pair_;
  const std::unique_ptr<ReadsBeside> beside_;
  const std::unique_ptr<Service> service_;
};

}  // namespace

std::unique_ptr<PairClient> make_requester_pair(std::unique_ptr<Requester> requester,
                                                std::chrono::milliseconds wait,
                                                std::chrono::milliseconds outcome_wait) {
  return std::make_unique<RequesterPair>(std::move(requester), wait, outcome_wait);
}

std::unique_ptr<PairClient> make_pair_with_reads(std::unique_ptr<PairClient> pair, std::unique_ptr<ReadsBeside> beside,
                                                 std::unique_ptr<Service> service) {
  return std::make_unique<PairWithReads>(std::move(pair), std::move(beside), std::move(service));
}

WallTime wall_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(now).count()};
}

}  // namespace pollux
