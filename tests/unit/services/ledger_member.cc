// One member of a ledger pair as a process of its own, for the tests that kill it: ledger_member DATA NAME.
#include <cstdio>

#include "pollux/ledger/ledger.h"
#include "pollux/services/member.h"
#include "support.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: ledger_member DATA a|b\n");
    return pollux::MemberExit::usage;
  }
  const pollux::Config config = pollux::testing::ledger_config(argv[1]);
  const pollux::PairConfig& pair = config.pairs.front();
  for (const pollux::MemberConfig& member : pair.members) {
    if (member.name == argv[2]) return pollux::run_member(config, pair, member, pollux::ledger::make_service);
  }
  return pollux::MemberExit::usage;
}
