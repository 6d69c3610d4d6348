// The witness thread: calls of the witness block (file system, network), so they are made here.
#pragma once

#include <optional>
#include <thread>
#include <variant>

#include "core_inbox.h"
#include "counters.h"
#include "log.h"
#include "pollux/core/actions.h"
#include "pollux/ipc/witness.h"
#include "work_queue.h"

namespace pollux {

class WitnessThread {
 public:
  struct Parts {
    Witness& witness;
    CoreInbox& inbox;
    MemberCounters& counters;
    MemberLog& log;
  };
  explicit WitnessThread(const Parts& parts) : parts_(parts) {}
  ~WitnessThread() { stop(); }

  using Job = std::variant<ReadWitness, ProposeWitness, AdoptWitness, RaiseFloor>;
  void start();
  void stop();
  /// A witness that hangs must not make the queue grow: beyond `jobs_max` the answer is `in_doubt` at once.
  void give(Job job);

  static constexpr std::size_t jobs_max = 64;

 private:
  void run();
  void carry_out(const ReadWitness& job);
  void carry_out(const ProposeWitness& job);
  void carry_out(const AdoptWitness& job);
  void carry_out(const RaiseFloor& job);
  void answer(std::uint64_t ticket, Witness::Answer answer);

  const Parts parts_;
  WorkQueue<Job> jobs_;
  bool floor_failed_ = false;
  std::thread thread_;
};

}  // namespace pollux
