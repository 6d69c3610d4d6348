#include "users/login_desk.h"

#include <sodium.h>

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
    : pair_(pair), cache_max_(limits.login_cache_max), queue_(limits.login_queue_max) {
  POLLUX_CHECK(sodium_init() >= 0);
  randombytes_buf(secret_.data(), secret_.size());
  dummy_hash_ = hash_password("nobody has this password").value_or("");
}

LoginDesk::~LoginDesk() {
  queue_.stop();
  sodium_memzero(secret_.data(), secret_.size());
}

LoginDesk::Key LoginDesk::key_of(std::string_view authorization) const {
  Key key;
  crypto_generichash(key.data(), key.size(), reinterpret_cast<const unsigned char*>(authorization.data()),
                     authorization.size(), secret_.data(), secret_.size());
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

void LoginDesk::verify(std::string_view authorization, LoginDone done) {
  auto basic = parse(authorization);
  if (!basic) return done(std::unexpected(LoginRefusal::wrong));
  const Key key = key_of(authorization);
  {
    const std::lock_guard lock(mutex_);
    auto& waiting = waiting_[key];
    waiting.push_back(std::move(done));
    if (waiting.size() > 1) return;
  }
  // A name that no user can have is asked for all the same: it must not be refused faster.
  std::string payload = encode(GroupwareQuery(GetCredentials{basic->user}));
  pair_.query(std::move(payload), [this, key, basic = std::move(*basic)](const PairReply& reply) {
    take_credentials(key, basic, reply);
  });
}

void LoginDesk::take_credentials(const Key& key, Basic basic, const PairReply& reply) {
  Credentials credentials;
  if (reply.code == Code::ok) {
    credentials = decode_groupware_reply<Credentials>(reply.payload).value_or(Credentials{});
  } else if (reply.code != Code::not_found && reply.code != Code::invalid_argument) {
    return finish(key, std::unexpected(LoginRefusal::unavailable));
  }
  const bool exists = !credentials.password_hash.empty();
  const bool taken =
      queue_.push([this, key, exists, basic = std::move(basic), credentials = std::move(credentials)] {
        const bool right = verify_password(exists ? credentials.password_hash : dummy_hash_, basic.password);
        if (!exists || !right) return finish(key, std::unexpected(LoginRefusal::wrong));
        finish(key, Caller{basic.user, credentials.credential_version});
      });
  if (!taken) finish(key, std::unexpected(LoginRefusal::busy));
}

void LoginDesk::finish(const Key& key, LoginResult result) {
  std::vector<LoginDone> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting = std::move(waiting_[key]);
    waiting_.erase(key);
    if (result) {
      // Any one makes room: whoever is dropped is verified again.
      if (verified_.size() >= cache_max_) verified_.erase(verified_.begin());
      verified_.insert_or_assign(key, *result);
    }
  }
  for (auto& done : waiting) done(result);
}

}  // namespace pollux
