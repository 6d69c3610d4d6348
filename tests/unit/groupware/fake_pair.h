// A pair in this process: the groupware service on a std::map, answered from a thread of its own, as a
// requester would. It can be told to be away, as during a takeover, and to answer with errors.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/pair_client.h"
#include "http/work_thread.h"
#include "pollux/groupware/requests.h"
#include "pollux/services/service.h"

namespace pollux::testing {

using Rows = std::map<std::string, std::string, std::less<>>;

class MapTxn final : public WriteTxn {
 public:
  explicit MapTxn(Rows& rows) : rows_(rows) {}
  std::optional<std::string> get(std::string_view key) override;
  void scan(std::string_view from, std::string_view to,
            const std::function<bool(std::string_view, std::string_view)>& row) override;
  void put(std::string_view key, std::string_view value) override;
  void erase(std::string_view key) override;

 private:
  Rows& rows_;
};

/// Runs the service on its rows.
class MapService {
 public:
  MapService();
  ServiceReply execute(const GroupwareRequest& request);
  ServiceReply query(const GroupwareQuery& query);
  ServiceReply execute_payload(const std::string& payload);
  ServiceReply query_payload(const std::string& payload);
  Rows rows;
  WallTime time{1'700'000'000'000'000};  ///< a microsecond later with each request

 private:
  std::unique_ptr<Service> service_;
};

class FakePair final : public PairClient {
 public:
  FakePair();
  ~FakePair() override;
  void execute(std::string payload, PairDone done) override;
  void query(std::string payload, PairDone done) override;

  /// Straight to the service, past the gateway.
  ServiceReply now(const GroupwareRequest& request);
  ServiceReply now(const GroupwareQuery& query);
  Credentials add_user(const std::string& user, const std::string& password);

  void go_away();  ///< what comes now waits
  void come_back();
  /// What comes next is answered with these, one after the other, and not executed.
  void answer_next(PairReply reply);
  void wait_for_waiting(std::size_t count);

  std::atomic<std::size_t> executed{0}, queried{0};

 private:
  void take(bool change, std::string payload, PairDone done);
  void run_one(bool change, const std::string& payload, const PairDone& done);

  std::mutex mutex_;
  std::condition_variable changed_;
  MapService service_;
  std::deque<PairReply> next_;
  std::deque<std::function<void()>> waiting_;
  bool away_ = false;
  WorkThread thread_;
};

}  // namespace pollux::testing
