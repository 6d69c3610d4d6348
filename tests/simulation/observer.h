// Those who watch a simulated world: checkers, probes, the trace. They see everything and change nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "pollux/core/actions.h"
#include "pollux/core/events.h"
#include "pollux/core/pair.h"
#include "simulation/register_service.h"

namespace pollux::testing {

class Member;
class SimWitness;
class World;

/// A rule was broken. Thrown by checkers; the run of the seed ends with it.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How a member's process ended.
enum class Death : std::uint8_t {
  killed,        ///< kill -9
  power_loss,    ///< with its host
  poison,        ///< by the request it executed
  stopped,       ///< by core's Stop: by order, or a failed disk
  aborted,       ///< by core's Stop with `abort`: a thread hung
};
std::string_view to_string(Death death);

/// One call of a requester as the requester knows it, from its first sending to its final answer.
struct Operation {
  std::uint32_t requester = 0;
  bool query = false;
  RegisterRequest request;
  SyncId sync;                   ///< none in a query
  std::uint64_t invoked = 0;     ///< order of events, so that nothing depends on equal times
  Duration invoked_at{};
  std::uint64_t returned = 0;    ///< 0: not yet
  bool known = false;            ///< the final answer is known; if not, it may have happened or not
  Code code = Code::ok;
  std::string reply;
  Lsn lsn;
};

class Observer {
 public:
  virtual ~Observer() = default;

  virtual void on_start(const Member& /*member*/) {}
  virtual void on_death(const Member& /*member*/, Death /*death*/) {}
  virtual void on_pause(const Member& /*member*/) {}
  /// Before core is told. `before` is its status then.
  virtual void on_event(const Member& /*member*/, const PairStatus& /*before*/, const Event& /*event*/) {}
  /// All actions of one step, before any is carried out; `after` is core's status then.
  virtual void on_actions(const Member& /*member*/, const PairStatus& /*before*/, const PairStatus& /*after*/,
                          std::span<const Action> /*actions*/) {}
  /// A record was made by an executor, after `previous`.
  virtual void on_record(const Member& /*member*/, const RecordPtr& /*record*/, const Hash& /*previous*/) {}
  virtual void on_durable(const Member& /*member*/, const RecordPtr& /*record*/) {}
  /// Records left a trail for good, by a cut or a reset.
  virtual void on_cut(const Member& /*member*/, const RecordPtr& /*record*/) {}
  /// The executor begins a request.
  virtual void on_execute(const Member& /*member*/, const SyncId& /*sync*/, const RegisterRequest& /*request*/) {}
  virtual void on_witness(const SimWitness& /*witness*/, const Configuration& /*before*/) {}
  /// A witness that had gone back in time was given what the pair knows.
  virtual void on_witness_adopted(const SimWitness& /*witness*/, const Configuration& /*over*/) {}
  /// A query found its answer in the tables beside a member, or has to ask.
  virtual void on_read_beside(bool /*found*/) {}
  virtual void on_reply_arrived(std::uint32_t /*requester*/, const RequesterReply& /*reply*/) {}
  /// Something done to the world by the nemesis, in words.
  virtual void on_fault(const std::string& /*text*/) {}
  /// Everything is at rest and in sync.
  virtual void on_end(const World& /*world*/) {}
};

}  // namespace pollux::testing
