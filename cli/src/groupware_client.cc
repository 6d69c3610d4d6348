#include "groupware_client.h"

namespace pollux {

Result<GroupwareClient> GroupwareClient::open(Config config, const std::string& pair_name,
                                              std::chrono::milliseconds deadline) {
  GroupwareClient client;
  client.config_ = std::make_unique<Config>(std::move(config));
  const Result<const PairConfig*> pair = choose_pair_of(*client.config_, "groupware", pair_name);
  if (!pair) return std::unexpected(pair.error());
  client.pair_ = *pair;
  auto requester = connect(*client.config_, **pair, deadline);
  if (!requester) return std::unexpected(requester.error());
  client.requester_ = std::move(*requester);
  return client;
}

Result<std::string> GroupwareClient::finish(const CallResult& result) const {
  if (!result) return std::unexpected(error_of(result.error(), *pair_));
  if (result->code == Code::ok) return result->payload;
  const Result<Refusal> refusal = decode_groupware_reply<Refusal>(result->payload);
  std::string text = refusal ? refusal->text : std::string(to_string(result->code));
  return fail(result->code, std::move(text));
}

Result<std::vector<PrincipalInfo>> GroupwareClient::users() {
  std::vector<PrincipalInfo> all;
  for (;;) {
    Result<UserList> page = ask<UserList>(ListUsers{.after = all.empty() ? std::string() : all.back().user});
    if (!page) return std::unexpected(page.error());
    const bool more = page->more && !page->users.empty();
    for (PrincipalInfo& user : page->users) all.push_back(std::move(user));
    if (!more) return all;
  }
}

Result<std::string> GroupwareClient::choose_user(const std::string& named) {
  if (!named.empty()) return named;
  const Result<std::vector<PrincipalInfo>> all = users();
  if (!all) return std::unexpected(all.error());
  if (all->size() == 1) return all->front().user;
  return fail(Code::invalid_argument, all->empty()
                                          ? "there is no user yet; add one: pollux user add NAME"
                                          : "for whom? There are several users; name one with --user");
}

}  // namespace pollux
