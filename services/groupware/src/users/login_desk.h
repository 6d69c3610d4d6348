// Who sends this request? Basic authentication (RFC 7617) against the pair's credentials.
//
// One password is verified at a time, on a thread of its own. A verified login is remembered under a keyed
// hash of the header, with the version of the credentials. The gateway sends that version with every
// request, and the pair refuses an old one: so a changed password counts at every gateway at once. A user
// that does not exist costs the same computation.
#pragma once

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

namespace pollux {

enum class LoginRefusal : std::uint8_t {
  wrong,        ///< no such user, wrong password, or no Basic credentials: 401
  busy,         ///< too many passwords are waiting: 503
  unavailable,  ///< the pair can't be reached: 503
};
using LoginResult = std::expected<Caller, LoginRefusal>;
using LoginDone = std::move_only_function<void(LoginResult)>;

class LoginDesk {
 public:
  LoginDesk(PairClient& pair, const GatewayLimits& limits);
  ~LoginDesk();

  /// Whose header this is, if it was verified before.
  [[nodiscard]] std::optional<Caller> known(std::string_view authorization);
  /// Verifies it. `done` may run on any thread, or at once. Requests with the same header wait for one
  /// verification.
  void verify(std::string_view authorization, LoginDone done);
  /// The pair has said that this login is stale.
  void forget(std::string_view authorization);
  /// Ends its thread; what waits is never answered.
  void stop() { queue_.stop(); }

 private:
  using Key = std::array<unsigned char, 32>;
  struct HashKey {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Basic {
    std::string user, password;
  };

  [[nodiscard]] Key key_of(std::string_view authorization) const;
  static std::optional<Basic> parse(std::string_view authorization);
  void take_credentials(const Key& key, Basic basic, const PairReply& reply);
  void finish(const Key& key, LoginResult result);

  PairClient& pair_;
  const std::size_t cache_max_;
  std::array<unsigned char, 32> secret_{};
  std::string dummy_hash_;  ///< verified for users that do not exist
  std::mutex mutex_;
  std::unordered_map<Key, Caller, HashKey> verified_;
  std::map<Key, std::vector<LoginDone>> waiting_;
  WorkThread queue_;
};

}  // namespace pollux
