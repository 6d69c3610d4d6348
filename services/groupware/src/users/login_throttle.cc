#include "users/login_throttle.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>

#include "pollux/core/check.h"

namespace pollux {
namespace {

constexpr std::size_t network_bytes_v6 = 8;  // a /64
constexpr std::string_view mapped_prefix("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
/// While others of the same name are being verified. They are quick.
constexpr std::chrono::milliseconds wait_for_pending{1000};

std::uint64_t part_of(const LoginThrottle::Key& key) {
  std::uint64_t part = 0;
  std::memcpy(&part, key.data(), sizeof part);
  return part;
}

}  // namespace

std::string client_network(std::string_view address) {
  if (address.starts_with(mapped_prefix)) return std::string(address.substr(mapped_prefix.size()));
  return std::string(address.substr(0, address.size() == 4 ? 4 : network_bytes_v6));
}

std::size_t LoginThrottle::HashName::operator()(const Name& name) const noexcept {
  std::size_t part = 0;
  std::memcpy(&part, name.data(), sizeof part);
  return part;
}

LoginThrottle::LoginThrottle(const GatewayLimits& limits, const std::array<unsigned char, 32>& secret)
    : limits_(limits), secret_(secret) {}

LoginThrottle::Name LoginThrottle::name_of(std::string_view user, std::string_view client) const {
  // The client's part is as long as its first byte says, so that no two pairs read alike.
  std::string text(1, static_cast<char>(client.size()));
  text.append(client).append(user);
  Name name;
  crypto_generichash(name.data(), name.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), secret_.data(), secret_.size());
  return name;
}

LoginThrottle::Failures* LoginThrottle::find(const Name& name, Instant now) {
  // Those that are old are at the front.
  while (!failures_.empty() && now - failures_.front().last >= limits_.login_forget) {
    places_.erase(failures_.front().name);
    failures_.pop_front();
  }
  const auto place = places_.find(name);
  return place == places_.end() ? nullptr : &*place->second;
}

std::optional<std::chrono::milliseconds> LoginThrottle::begin(std::string_view user, std::string_view client,
                                                              Instant now) {
  const Name name = name_of(user, client);
  const std::lock_guard lock(mutex_);
  const Failures* known = find(name, now);
  if (known != nullptr && now < known->not_before) {
    return std::chrono::ceil<std::chrono::milliseconds>(known->not_before - now);
  }
  unsigned& pending = pending_[name];
  // Guesses sent side by side would all be on their way before the first is counted.
  const unsigned guesses = (known != nullptr ? known->guesses : 0) + pending;
  if (pending > 0 && guesses >= limits_.login_guesses_free) return wait_for_pending;
  ++pending;
  return std::nullopt;
}

void LoginThrottle::end(std::string_view user, std::string_view client, const Key& credentials, End how,
                        Instant now) {
  const Name name = name_of(user, client);
  const std::lock_guard lock(mutex_);
  const auto pending = pending_.find(name);
  POLLUX_CHECK(pending != pending_.end() && pending->second > 0);
  if (--pending->second == 0) pending_.erase(pending);
  if (how == End::unknown) return;
  if (how == End::wrong) return count(name, credentials, now);
  if (const auto place = places_.find(name); place != places_.end()) {
    failures_.erase(place->second);
    places_.erase(place);
  }
}

void LoginThrottle::count(const Name& name, const Key& credentials, Instant now) {
  Failures* known = find(name, now);
  if (known == nullptr) {
    // The one whose last failure is oldest makes room. Whoever wants to be forgotten so must have as many
    // passwords verified as there is room: that takes longer than waiting.
    if (failures_.size() >= limits_.login_throttle_max) {
      places_.erase(failures_.front().name);
      failures_.pop_front();
    }
    failures_.push_back(Failures{.name = name, .guesses = 0, .last = now, .not_before = now, .recent = {}});
    places_.emplace(name, std::prev(failures_.end()));
    known = &failures_.back();
  }
  known->last = now;
  failures_.splice(failures_.end(), failures_, places_.at(name));
  const std::uint64_t part = part_of(credentials);
  if (std::ranges::find(known->recent, part) != known->recent.end()) return;
  std::ranges::rotate(known->recent, std::next(known->recent.begin()));
  known->recent.back() = part;
  ++known->guesses;
  if (known->guesses < limits_.login_guesses_free) return;
  auto delay = limits_.login_delay_min;
  for (unsigned guess = limits_.login_guesses_free; guess < known->guesses && delay < limits_.login_delay_max;
       ++guess) {
    delay *= 2;
  }
  known->not_before = now + std::min(delay, limits_.login_delay_max);
}

std::size_t LoginThrottle::remembered() const {
  const std::lock_guard lock(mutex_);
  return failures_.size();
}

}  // namespace pollux
