// Calls of the groupware pair by the operator's tools, which reach it without a password.
#pragma once

#include <memory>
#include <string>

#include "located.h"
#include "pollux/groupware/requests.h"

namespace pollux {

class GroupwareClient {
 public:
  static Result<GroupwareClient> open(Config config, const std::string& pair_name,
                                      std::chrono::milliseconds deadline = std::chrono::seconds(15));

  /// Sends a request and decodes its answer. A refusal becomes an Error with its sentence.
  template <class Reply>
  Result<Reply> change(const GroupwareRequest& request) {
    return decode<Reply>(finish(requester_->call(encode(request))));
  }
  template <class Reply>
  Result<Reply> ask(const GroupwareQuery& query) {
    return decode<Reply>(finish(requester_->query(encode(query))));
  }
  /// All users, page by page.
  Result<std::vector<PrincipalInfo>> users();
  /// `named`, or the only user there is.
  Result<std::string> choose_user(const std::string& named);

  [[nodiscard]] Requester& requester() { return *requester_; }
  [[nodiscard]] const PairConfig& pair() const { return *pair_; }
  /// The payload of an answer with code `ok`, else the error in it.
  [[nodiscard]] Result<std::string> finish(const CallResult& result) const;

 private:
  template <class Reply>
  static Result<Reply> decode(const Result<std::string>& payload) {
    if (!payload) return std::unexpected(payload.error());
    return decode_groupware_reply<Reply>(*payload);
  }

  std::unique_ptr<Config> config_;  ///< holds the pair
  const PairConfig* pair_ = nullptr;
  std::unique_ptr<Requester> requester_;
};

}  // namespace pollux
