// A requester of the simulated world: opens a session, keeps several requests going, retries each with its
// sync id at either member until it is answered, and asks for the outcome of those it gives up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "pollux/core/requester_messages.h"
#include "simulation/observer.h"
#include "simulation/random.h"

namespace pollux::testing {

class World;

class Requester {
 public:
  Requester(World& world, std::uint32_t index, Random random);

  void begin();
  void hear(int member, const RequesterReply& reply);
  /// No new operations; those under way are to be answered, without asking for outcomes.
  void finish() { finishing_ = true; }
  [[nodiscard]] bool idle() const { return calls_.empty(); }
  /// Which operation a number belongs to, from its first sending on.
  [[nodiscard]] const Operation* operation(std::uint64_t number) const;
  [[nodiscard]] bool asked_with(std::uint64_t number) const { return asks_.contains(number); }
  /// One operation now (scenarios). Its number.
  std::uint64_t call(const RegisterRequest& request, bool query);
  void set_target(int member) { target_ = member; }
  void ask(std::uint64_t number);  ///< gives the call up and asks for its outcome
  void open_session();
  [[nodiscard]] bool has_session() const { return session_.has_value(); }
  [[nodiscard]] std::string describe_calls() const;

 private:
  enum class Kind : std::uint8_t { open, close, request, query, ask };
  struct Call {
    Kind kind = Kind::request;
    std::uint64_t number = 0;
    std::uint64_t attempt = 0;           ///< stops the retry timers of earlier attempts
    std::optional<std::size_t> operation;
    SyncId sync;
    Duration gives_up_at = Duration::max();
    RequesterBody body;
  };

  void think();
  void begin_operation();
  Call& add(Kind kind, RequesterBody body);
  void send(Call& call);
  void retry_in(Call& call, Duration delay);
  void retry(std::uint64_t number, std::uint64_t attempt);
  /// As a gateway on the members' host does: from the tables of the member that serves, without asking it.
  void read_beside(Call& call);
  void settle(Call& call, const RequesterReply& reply, bool known);
  void lose_session();
  void ask(Call& call);
  [[nodiscard]] std::uint64_t ack_below() const;
  [[nodiscard]] std::size_t requests_under_way() const;
  [[nodiscard]] Duration patience() const;

  World& world_;
  std::uint32_t index_;
  Random random_;
  int target_ = 0;
  bool finishing_ = false, resting_ = false;
  std::optional<SessionId> session_;
  std::uint64_t next_seq_ = 1, next_number_ = 1;
  std::map<std::uint64_t, Call> calls_;                      ///< by number
  std::map<std::uint64_t, std::size_t> operation_of_;       ///< by number, for ever
  std::set<std::uint64_t> asks_;                             ///< numbers that ask for an outcome
  std::vector<RequesterMessage> old_;                        ///< finished requests, to be sent again by a slow network
};

}  // namespace pollux::testing
