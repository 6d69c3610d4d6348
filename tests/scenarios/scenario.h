// Plays one scenario: commands to a simulated pair, and what its members say to that.
//
// A scenario file alternates commands and what they print, after the manner of etcd-io/raft's testdata:
//
//     # A comment, for the reader.
//     > kill A
//     A is killed
//     B: backup -> leading, epoch 3: the primary died
//
// The world is calm: nothing is lost, every message takes a millisecond, nothing fails but by command, and no
// process starts by itself. See README.md for the commands.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulation/describe.h"
#include "simulation/observer.h"
#include "simulation/record_store.h"
#include "simulation/world.h"

namespace pollux::testing {

class Scenario : public Observer {
 public:
  Scenario();

  /// Carries out one command, and returns what was said meanwhile, one item a line.
  std::string command(const std::string& line);
  /// Plays a whole file: the same text with the answers as they are now.
  std::string play(const std::string& text);

  void on_start(const Member& member) override;
  void on_death(const Member& member, Death death) override;
  void on_event(const Member& member, const PairStatus& before, const Event& event) override;
  void on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                  std::span<const Action> actions) override;
  void on_witness(const SimWitness& witness, const Configuration& before) override;
  void on_witness_adopted(const SimWitness& witness, const Configuration& over) override;
  void on_reply_arrived(std::uint32_t requester, const RequesterReply& reply) override;
  void on_execute(const Member& member, const SyncId& sync, const RegisterRequest& request) override;

 private:
  using Words = std::vector<std::string>;
  void say(std::string text);
  void call(const Words& words);
  void fault(const Words& words);
  void show();
  void run(Duration time) { world_.run_for(time); }
  Member& member(const std::string& name);
  static Duration duration(const std::string& text);

  NameScope names_;
  World world_;
  RecordStore store_;
  std::string said_;
  std::map<int, int> runs_;
  std::uint64_t ticket_ = 0;
  std::map<std::uint32_t, std::uint64_t> last_call_;
  bool messages_ = false;     ///< tell the members' messages too
};

}  // namespace pollux::testing
