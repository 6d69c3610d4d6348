// A requester and two members that only pretend to be a pair.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "fake_member.h"
#include "pollux/ipc/requester.h"
#include "scratch_directory.h"

namespace pollux::testing {

using namespace std::chrono_literals;

inline std::size_t count_requests(const std::vector<FakeMember::Received>& received) {
  return static_cast<std::size_t>(std::count_if(received.begin(), received.end(), [](const auto& each) {
    return std::holds_alternative<Request>(each.message.body);
  }));
}

/// Collects the results of async calls. Shared with the calls, which may end after the test's body.
class Results {
 public:
  CallDone take() {
    return [shared = shared_](CallResult result) {
      const std::lock_guard lock(shared->mutex);
      shared->results.push_back(std::move(result));
      shared->changed.notify_all();
    };
  }
  std::vector<CallResult> wait(std::size_t count) {
    std::unique_lock lock(shared_->mutex);
    EXPECT_TRUE(shared_->changed.wait_for(lock, 60s, [&] { return shared_->results.size() >= count; }))
        << shared_->results.size();
    return shared_->results;
  }
  std::size_t size() {
    const std::lock_guard lock(shared_->mutex);
    return shared_->results.size();
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<CallResult> results;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

/// A deadline that passes, but not before a busy machine has opened the session and sent the request.
inline constexpr auto opening = 800ms;

class RequesterTest : public ::testing::Test {
 protected:
  void start_a(std::uint8_t run = 1) {
    a_ = std::make_unique<FakeMember>(directory_.endpoint("a"), state_, run);
  }
  void start_b(std::uint8_t run = 2) {
    b_ = std::make_unique<FakeMember>(directory_.endpoint("b"), state_, run);
  }
  void start_pair() {
    start_a();
    start_b();
    a_->serve(Epoch{1});
    b_->retire(Epoch{1}, a_->run());
  }
  void open(RequesterOptions options = {}) {
    auto opened = Requester::open(
        {ClusterId{{1}}, "ledger", {directory_.endpoint("a"), directory_.endpoint("b")}}, options);
    ASSERT_TRUE(opened.has_value()) << opened.error().text;
    requester_ = std::move(*opened);
  }
  /// Both members know the requester, so that news reach it.
  void wait_until_known() {
    for (FakeMember* member : {a_.get(), b_.get()}) {
      ASSERT_TRUE(member->wait_for([](const auto& received) { return !received.empty(); }));
    }
  }

  ScratchDirectory directory_;
  std::shared_ptr<FakeState> state_ = std::make_shared<FakeState>();
  std::unique_ptr<FakeMember> a_, b_;
  std::unique_ptr<Requester> requester_;
};

}  // namespace pollux::testing
