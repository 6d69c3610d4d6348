// Who sends this request? Basic authentication (RFC 7617) against the pair's credentials.
//
// One password is verified at a time, on a thread of its own. A verified login is remembered under a keyed
// hash of the header, with the version of the credentials. The gateway sends that version with every
// request, and the pair refuses an old one: so a changed password counts at every gateway at once. A user
// that does not exist costs the same computation. Guessing is slowed down (login_throttle.h); a remembered
// login is not touched by that.
#pragma once

#include <sodium.h>

#include <array>
#include <expected>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/limits.h"
#include "http/pair_client.h"
#include "http/work_thread.h"
#include "pollux/groupware/requests.h"
#include "users/login_throttle.h"

namespace pollux {

enum class LoginRefusal : std::uint8_t {
  wrong,        ///< no such user, wrong password, or no Basic credentials: 401
  busy,         ///< too many passwords are waiting: 503
  unavailable,  ///< the pair can't be reached: 503
  throttled,    ///< too many wrong passwords for this user from this client's network: 429
};
struct LoginFailure {
  LoginRefusal why = LoginRefusal::wrong;
  std::uint32_t retry_after_s = 0;  ///< with `throttled`
};
using LoginResult = std::expected<Caller, LoginFailure>;
using LoginDone = std::move_only_function<void(LoginResult)>;

class LoginDesk {
 public:
  LoginDesk(PairClient& pair, const GatewayLimits& limits);
  ~LoginDesk();

  /// Whose header this is, if it was verified before.
  [[nodiscard]] std::optional<Caller> known(std::string_view authorization);
  /// Verifies it for a client of that network (`client_network`). `done` may run on any thread, or at once.
  /// Requests of one network with the same header wait for one verification.
  void verify(std::string_view authorization, std::string_view client, LoginDone done);
  /// The pair has said that this login is stale.
  void forget(std::string_view authorization);
  /// Ends its thread; what waits is never answered.
  void stop() { queue_.stop(); }

 private:
  using Key = LoginThrottle::Key;
  struct HashKey {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Basic {
    std::string user, password;
  };

  /// A password that is being verified.
  struct Attempt {
    Basic basic;
    std::vector<LoginDone> waiting;
  };
  using AttemptId = std::pair<Key, std::string>;  ///< with the client's network

  [[nodiscard]] Key key_of(std::string_view authorization) const;
  static std::optional<Basic> parse(std::string_view authorization);
  void take_credentials(const AttemptId& id, const PairReply& reply);
  void finish(const AttemptId& id, LoginResult result);

  PairClient& pair_;
  const std::size_t cache_max_;
  std::array<unsigned char, 32> secret_{};  ///< of the throttle
  std::array<unsigned char, crypto_shorthash_siphashx24_KEYBYTES> cache_secret_{};
  std::string dummy_hash_;  ///< verified for users that do not exist
  std::mutex mutex_;
  std::unordered_map<Key, Caller, HashKey> verified_;
  std::map<AttemptId, Attempt> attempts_;
  std::map<std::string, std::size_t> attempts_of_client_;
  const std::size_t attempts_of_client_max_;
  LoginThrottle throttle_;
  WorkThread queue_;
};

}  // namespace pollux
