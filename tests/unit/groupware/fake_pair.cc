#include "fake_pair.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "pollux/groupware/passwords.h"
#include "pollux/groupware/service.h"

namespace pollux::testing {

std::optional<std::string> MapTxn::get(std::string_view key) {
  EXPECT_LE(key.size(), 480U);
  const auto found = rows_.find(key);
  if (found == rows_.end()) return std::nullopt;
  return found->second;
}

void MapTxn::scan(std::string_view from, std::string_view to,
                  const std::function<bool(std::string_view, std::string_view)>& row) {
  for (auto at = rows_.lower_bound(from); at != rows_.end(); ++at) {
    if (!to.empty() && at->first >= to) return;
    if (!row(at->first, at->second)) return;
  }
}

void MapTxn::put(std::string_view key, std::string_view value) {
  if (key.empty() || key.size() > 480) throw std::length_error("key");
  rows_.insert_or_assign(std::string(key), std::string(value));
}

void MapTxn::erase(std::string_view key) {
  if (const auto found = rows_.find(key); found != rows_.end()) rows_.erase(found);
}

MapService::MapService() : service_(make_groupware_service()) {}

ServiceReply MapService::execute_payload(const std::string& payload) {
  MapTxn txn(rows);
  ++time.us;
  return service_->execute({payload, time}, txn);
}
ServiceReply MapService::query_payload(const std::string& payload) {
  MapTxn txn(rows);
  return service_->query({payload, time}, txn);
}
ServiceReply MapService::execute(const GroupwareRequest& request) { return execute_payload(encode(request)); }
ServiceReply MapService::query(const GroupwareQuery& asked) { return query_payload(encode(asked)); }

FakePair::FakePair() : thread_(100000) {}
FakePair::~FakePair() { thread_.stop(); }

void FakePair::execute(std::string payload, PairDone done) {
  take(true, std::move(payload), std::move(done));
}
void FakePair::query(std::string payload, PairDone done) { take(false, std::move(payload), std::move(done)); }

void FakePair::take(bool change, std::string payload, PairDone done) {
  auto run = [this, change, payload = std::move(payload), done = std::move(done)] {
    run_one(change, payload, done);
  };
  const std::lock_guard lock(mutex_);
  if (away_) {
    waiting_.emplace_back(std::move(run));
    changed_.notify_all();
    return;
  }
  thread_.push(std::move(run));
}

void FakePair::run_one(bool change, const std::string& payload, const PairDone& done) {
  PairReply reply;
  {
    const std::lock_guard lock(mutex_);
    if (!next_.empty()) {
      reply = std::move(next_.front());
      next_.pop_front();
    } else {
      auto from_service = change ? service_.execute_payload(payload) : service_.query_payload(payload);
      reply = {from_service.code, std::move(from_service.payload), 0};
    }
  }
  ++(change ? executed : queried);
  done(std::move(reply));
}

ServiceReply FakePair::now(const GroupwareRequest& request) {
  const std::lock_guard lock(mutex_);
  return service_.execute(request);
}
ServiceReply FakePair::now(const GroupwareQuery& query) {
  const std::lock_guard lock(mutex_);
  return service_.query(query);
}

Credentials FakePair::add_user(const std::string& user, const std::string& password) {
  // Argon2id is slow under sanitizers: the same password is hashed once.
  static std::map<std::string, std::string> hashes;
  auto& hash = hashes[password];
  if (hash.empty()) hash = hash_password(password).value();
  EXPECT_EQ(now(GroupwareRequest(AddUser{user, {}, hash})).code, Code::ok);
  return decode_groupware_reply<Credentials>(now(GroupwareQuery(GetCredentials{user})).payload).value();
}

void FakePair::go_away() {
  const std::lock_guard lock(mutex_);
  away_ = true;
}

void FakePair::come_back() {
  const std::lock_guard lock(mutex_);
  away_ = false;
  for (auto& run : waiting_) thread_.push(std::move(run));
  waiting_.clear();
}

void FakePair::answer_next(PairReply reply) {
  const std::lock_guard lock(mutex_);
  next_.push_back(std::move(reply));
}

void FakePair::wait_for_waiting(std::size_t count) {
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return waiting_.size() >= count; }));
}

}  // namespace pollux::testing
