// The network between the members, and between requesters and members.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>

#include "pollux/core/peer_messages.h"
#include "pollux/core/requester_messages.h"
#include "simulation/random.h"
#include "simulation/schedule.h"

namespace pollux::testing {

class World;

class Network {
 public:
  Network(World& world, Random random) : world_(world), random_(random) {}

  struct Weather {
    Duration delay{};
    double loss = 0, duplicate = 0, late = 0;  ///< late: seconds, when nobody expects it any more
  };
  Weather weather;
  std::array<bool, 2> cut{};       ///< cut[i]: nothing from member i reaches the other member
  std::array<bool, 2> isolated{};  ///< isolated[i]: requesters and member i don't reach each other
  bool jitter = true;              ///< false: every message takes exactly `delay`

  void to_peer(int from, PeerMessage message);
  void to_member(std::uint32_t requester, int member, RequesterMessage message);
  void to_requester(int member, std::uint32_t requester, RequesterReply reply);
  void to_all_requesters(int member, const RequesterReply& news);

 private:
  /// The messages of one lane keep their order, but for those that the weather treats badly.
  using Lane = std::tuple<int, std::uint32_t, std::uint32_t>;
  template <class Arrive>
  void carry(const Lane& lane, Arrive arrive);

  World& world_;
  Random random_;
  std::map<Lane, Duration> last_;
};

}  // namespace pollux::testing
