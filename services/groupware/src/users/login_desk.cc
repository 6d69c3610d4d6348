#include "users/login_desk.h"

#include <sodium.h>

#include <chrono>
#include <cstring>
#include <memory>

#include "http/message.h"
#include "pollux/core/check.h"
#include "pollux/groupware/passwords.h"

namespace pollux {

std::size_t LoginDesk::HashKey::operator()(const Key& key) const noexcept {
  std::size_t part = 0;  // keys are hashes: any bytes of them spread well
  std::memcpy(&part, key.data(), sizeof part);
  return part;
}

LoginDesk::LoginDesk(PairClient& pair, const GatewayLimits& limits)
    : pair_(pair),
      cache_max_(limits.login_cache_max),
      attempts_of_client_max_(limits.login_queue_client_max),
      throttle_(limits, secret_),
      queue_(limits.login_queue_max) {
  POLLUX_CHECK(sodium_init() >= 0);
  randombytes_buf(secret_.data(), secret_.size());
  randombytes_buf(cache_secret_.data(), cache_secret_.size());
  dummy_hash_ = hash_password("nobody has this password").value_or("");
}

LoginDesk::~LoginDesk() {
  queue_.stop();
  sodium_memzero(secret_.data(), secret_.size());
  sodium_memzero(cache_secret_.data(), cache_secret_.size());
}

LoginDesk::Key LoginDesk::key_of(std::string_view authorization) const {
  Key key;
  // SipHash with 128 bits: keyed, and quick enough for every request.
  crypto_shorthash_siphashx24(key.data(), reinterpret_cast<const unsigned char*>(authorization.data()),
                              authorization.size(), cache_secret_.data());
  return key;
}

std::optional<LoginDesk::Basic> LoginDesk::parse(std::string_view authorization) {
  const std::size_t space = authorization.find(' ');
  if (space == std::string_view::npos || !equal_header(authorization.substr(0, space), "Basic"))
    return std::nullopt;
  const std::string_view encoded = trim_blanks(authorization.substr(space + 1));
  std::string decoded(encoded.size(), '\0');
  std::size_t size = 0;
  const char* end = nullptr;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(decoded.data()), decoded.size(), encoded.data(),
                        encoded.size(), nullptr, &size, &end, sodium_base64_VARIANT_ORIGINAL) != 0 ||
      end != encoded.data() + encoded.size()) {
    return std::nullopt;
  }
  decoded.resize(size);
  const std::size_t colon = decoded.find(':');
  if (colon == std::string::npos) return std::nullopt;
  return Basic{decoded.substr(0, colon), decoded.substr(colon + 1)};
}

std::optional<Caller> LoginDesk::known(std::string_view authorization) {
  const Key key = key_of(authorization);
  const std::lock_guard lock(mutex_);
  const auto found = verified_.find(key);
  if (found == verified_.end()) return std::nullopt;
  return found->second;
}

void LoginDesk::forget(std::string_view authorization) {
  const Key key = key_of(authorization);
  const std::lock_guard lock(mutex_);
  verified_.erase(key);
}

void LoginDesk::verify(std::string_view authorization, std::string_view client, LoginDone done) {
  auto basic = parse(authorization);
  if (!basic) return done(std::unexpected(LoginFailure{LoginRefusal::wrong}));
  const AttemptId id{key_of(authorization), std::string(client)};
  std::optional<LoginFailure> refused;
  {
    const std::lock_guard lock(mutex_);
    if (const auto same = attempts_.find(id); same != attempts_.end()) {
      same->second.waiting.push_back(std::move(done));
      return;
    }
    // One network's guesses must not fill the queue before everybody else's logins.
    std::size_t& of_client = attempts_of_client_[id.second];
    if (of_client >= attempts_of_client_max_) {
      refused = LoginFailure{LoginRefusal::busy};
    } else if (const auto wait = throttle_.begin(basic->user, client, std::chrono::steady_clock::now())) {
      const auto seconds = std::chrono::ceil<std::chrono::seconds>(*wait).count();
      refused = LoginFailure{LoginRefusal::throttled, static_cast<std::uint32_t>(seconds)};
      if (of_client == 0) attempts_of_client_.erase(id.second);
    } else {
      ++of_client;
      Attempt& attempt = attempts_[id];
      attempt.basic = *basic;
      attempt.waiting.push_back(std::move(done));
    }
  }
  if (refused) return done(std::unexpected(*refused));
  // A name that no user can have is asked for all the same: it must not be refused faster.
  pair_.query(encode(GroupwareQuery(GetCredentials{basic->user})),
              [this, id](const PairReply& reply) { take_credentials(id, reply); });
}

void LoginDesk::take_credentials(const AttemptId& id, const PairReply& reply) {
  Credentials credentials;
  if (reply.code == Code::ok) {
    credentials = decode_groupware_reply<Credentials>(reply.payload).value_or(Credentials{});
  } else if (reply.code != Code::not_found && reply.code != Code::invalid_argument) {
    return finish(id, std::unexpected(LoginFailure{LoginRefusal::unavailable}));
  }
  const bool exists = !credentials.password_hash.empty();
  Basic basic;
  {
    const std::lock_guard lock(mutex_);
    basic = attempts_.at(id).basic;
  }
  const bool taken =
      queue_.push([this, id, exists, basic = std::move(basic), credentials = std::move(credentials)] {
        const bool right = verify_password(exists ? credentials.password_hash : dummy_hash_, basic.password);
        if (!exists || !right) return finish(id, std::unexpected(LoginFailure{LoginRefusal::wrong}));
        finish(id, Caller{basic.user, credentials.credential_version});
      });
  if (!taken) finish(id, std::unexpected(LoginFailure{LoginRefusal::busy}));
}

void LoginDesk::finish(const AttemptId& id, LoginResult result) {
  const auto& [key, client] = id;
  std::vector<LoginDone> waiting;
  {
    const std::lock_guard lock(mutex_);
    auto attempt = attempts_.extract(id);
    waiting = std::move(attempt.mapped().waiting);
    const auto of_client = attempts_of_client_.find(client);
    if (--of_client->second == 0) attempts_of_client_.erase(of_client);
    // Before the answer: whoever has read it finds it counted.
    const auto how = result                                      ? LoginThrottle::End::right
                     : result.error().why == LoginRefusal::wrong ? LoginThrottle::End::wrong
                                                                 : LoginThrottle::End::unknown;
    throttle_.end(attempt.mapped().basic.user, client, key, how, std::chrono::steady_clock::now());
    if (result) {
      // Any one makes room: whoever is dropped is verified again.
      if (verified_.size() >= cache_max_) verified_.erase(verified_.begin());
      verified_.insert_or_assign(key, *result);
    }
  }
  for (auto& done : waiting) done(result);
}

}  // namespace pollux
