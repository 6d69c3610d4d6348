#include "simulation/network.h"

#include "simulation/member.h"
#include "simulation/requester.h"
#include "simulation/world.h"

namespace pollux::testing {
namespace {
enum LaneKind : int { checkpoints, heartbeats, requests, replies };
}

template <class Arrive>
void Network::carry(const Lane& lane, Arrive arrive) {
  Schedule& schedule = world_.schedule();
  if (!jitter) {
    schedule.after(weather.delay, std::move(arrive));
    return;
  }
  if (random_.chance(weather.loss)) return;
  if (random_.chance(weather.duplicate)) {
    schedule.after(random_.about(weather.delay * 20), Arrive(arrive));
  }
  if (random_.chance(weather.late)) {
    const Duration late = random_.between(std::chrono::milliseconds(100), std::chrono::seconds(3));
    schedule.after(late, std::move(arrive));
    return;
  }
  Duration when = schedule.now() + weather.delay / 2 + random_.about(weather.delay / 2);
  Duration& last = last_[lane];
  last = when = std::max(when, last);
  schedule.at(when, std::move(arrive));
}

void Network::to_peer(int from, PeerMessage message) {
  const std::uint32_t to = 1 - static_cast<std::uint32_t>(from);
  const int kind = is_heartbeat(message.body) ? heartbeats : checkpoints;
  if (cut.at(static_cast<std::size_t>(from))) return;
  carry({kind, static_cast<std::uint32_t>(from), to}, [this, from, to, message = std::move(message)] {
    if (cut.at(static_cast<std::size_t>(from))) return;
    world_.member(to).receive(PeerSaid{message});
  });
}

void Network::to_member(std::uint32_t requester, int member, RequesterMessage message) {
  const auto to = static_cast<std::uint32_t>(member);
  if (isolated.at(to)) return;
  carry({requests, requester, to}, [this, requester, to, message = std::move(message)] {
    if (isolated.at(to)) return;
    world_.member(to).receive(RequesterSaid{Route{requester}, message});
  });
}

void Network::to_requester(int member, std::uint32_t requester, RequesterReply reply) {
  const auto from = static_cast<std::uint32_t>(member);
  if (isolated.at(from)) return;
  carry({replies, from, requester}, [this, from, requester, reply = std::move(reply)] {
    if (isolated.at(from)) return;
    world_.requester_hears(requester, static_cast<int>(from), reply);
  });
}

void Network::to_all_requesters(int member, const RequesterReply& news) {
  for (std::uint32_t i = 0; i < world_.requesters(); ++i) to_requester(member, i, news);
}

}  // namespace pollux::testing
