// A service of somebody else: counters by name. As `counter member CONFIG a` it would run as a member of a pair;
// without arguments it checks itself.
#include <pollux/ipc/requester.h>
#include <pollux/services/config.h>
#include <pollux/services/member.h>
#include <pollux/services/service.h>

#include <iostream>
#include <map>

namespace {

class Counter : public pollux::Service {
 public:
  pollux::ServiceReply execute(const pollux::ServiceRequest& request, pollux::WriteTxn& txn) override {
    if (request.payload.empty()) return {pollux::Code::invalid_argument, "name a counter"};
    const std::string next = std::to_string(std::stol(txn.get(request.payload).value_or("0")) + 1);
    txn.put(request.payload, next);
    return {pollux::Code::ok, next};
  }
  pollux::ServiceReply query(const pollux::ServiceRequest& request, pollux::ReadTxn& txn) override {
    return {pollux::Code::ok, txn.get(request.payload).value_or("0")};
  }
};

/// A transaction on a plain map.
class MapTxn : public pollux::WriteTxn {
 public:
  std::optional<std::string> get(std::string_view key) override {
    const auto found = rows_.find(key);
    return found == rows_.end() ? std::nullopt : std::optional(found->second);
  }
  void scan(std::string_view from, std::string_view to,
            const std::function<bool(std::string_view, std::string_view)>& row) override {
    for (auto it = rows_.lower_bound(from); it != rows_.end() && (to.empty() || it->first < to); ++it) {
      if (!row(it->first, it->second)) return;
    }
  }
  void put(std::string_view key, std::string_view value) override { rows_.insert_or_assign(std::string(key), value); }
  void erase(std::string_view key) override { rows_.erase(std::string(key)); }

 private:
  std::map<std::string, std::string, std::less<>> rows_;
};

bool check_itself() {
  Counter counter;
  MapTxn txn;
  if (counter.execute({"visits", {}}, txn).payload != "1" || counter.execute({"visits", {}}, txn).payload != "2") return false;
  // Nobody is there: one clear error, soon.
  const pollux::PairAddress address{.cluster = {}, .pair = "counter", .endpoints = {"tcp://127.0.0.1:1"}};
  const auto requester = pollux::Requester::open(address, {.connect_within = std::chrono::milliseconds(200)});
  if (!requester) return false;
  const pollux::CallResult result = (*requester)->call("visits", std::chrono::milliseconds(200));
  if (result) return false;
  std::cout << "as expected: " << result.error().text << "\n";
  return true;
}

int run_as_member(const std::string& file, const std::string& name) {
  auto config = pollux::load_config(file);
  if (config) {
    if (const auto prepared = pollux::prepare_data_directory(*config); !prepared) config = std::unexpected(prepared.error());
  }
  if (!config) {
    std::cerr << config.error().text << "\n";
    return pollux::MemberExit::bad_config;
  }
  const pollux::PairConfig& pair = config->pairs.front();
  for (const pollux::MemberConfig& member : pair.members) {
    if (member.name == name) {
      return pollux::run_member(*config, pair, member, [] { return std::make_unique<Counter>(); });
    }
  }
  return pollux::MemberExit::usage;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) return run_as_member(argv[2], argv[3]);
  return check_itself() ? 0 : 1;
}
