// The codec of pollux/groupware/requests.h: queries.
#include "state/wire_codec.h"

namespace pollux {

std::string encode(const GroupwareQuery& query) {
  wire::Query out;
  std::visit(Overloaded{
                 [&](const GetCredentials& get) { out.mutable_get_credentials()->set_user(get.user); },
                 [&](const ListUsers& list) {
                   out.mutable_list_users()->set_after(list.after);
                   out.mutable_list_users()->set_limit(list.limit);
                   if (list.caller) fill(out.mutable_list_users()->mutable_caller(), *list.caller);
                 },
                 [&](const GetItem& get) {
                   auto* to = out.mutable_get_item();
                   fill(to->mutable_caller(), get.caller);
                   fill(to->mutable_path(), get.path);
                   fill(to->mutable_when(), get.when);
                   to->set_as_collection(get.as_collection);
                   to->set_without_content(get.without_content);
                   if (get.modified_since_s) to->set_modified_since_s(*get.modified_since_s);
                 },
                 [&](const GetPrincipal& get) {
                   fill(out.mutable_get_principal()->mutable_caller(), get.caller);
                   out.mutable_get_principal()->set_user(get.user);
                 },
                 [&](const ListResources& list) {
                   auto* to = out.mutable_list_resources();
                   fill(to->mutable_caller(), list.caller);
                   fill(to->mutable_path(), list.path);
                   to->set_depth(list.depth);
                   to->set_after(list.after);
                   to->set_limit(list.limit);
                   to->set_as_collection(list.as_collection);
                   to->set_with_dead(list.with_dead);
                   to->set_with_locks(list.with_locks);
                 },
                 [&](const ListShares& list) {
                   fill(out.mutable_list_shares()->mutable_caller(), list.caller);
                   fill(out.mutable_list_shares()->mutable_path(), list.path);
                 },
             },
             query);
  return out.SerializeAsString();
}

Result<GroupwareQuery> decode_groupware_query(std::string_view payload) {
  wire::Query in;
  if (!parse(&in, payload)) return malformed();
  switch (in.body_case()) {
    case wire::Query::kGetCredentials:
      return GetCredentials{in.get_credentials().user()};
    case wire::Query::kListUsers: {
      const auto& list = in.list_users();
      ListUsers out{.after = list.after(), .limit = list.limit(), .caller = {}};
      if (list.has_caller()) out.caller = read(list.caller());
      return out;
    }
    case wire::Query::kGetItem: {
      const auto& get = in.get_item();
      GetItem out{.caller = read(get.caller()),
                  .path = read(get.path()),
                  .when = read(get.when()),
                  .as_collection = get.as_collection(),
                  .without_content = get.without_content(),
                  .modified_since_s = {}};
      if (get.has_modified_since_s()) out.modified_since_s = get.modified_since_s();
      return out;
    }
    case wire::Query::kGetPrincipal:
      return GetPrincipal{read(in.get_principal().caller()), in.get_principal().user()};
    case wire::Query::kListResources: {
      const auto& list = in.list_resources();
      return ListResources{.caller = read(list.caller()),
                           .path = read(list.path()),
                           .depth = list.depth(),
                           .after = list.after(),
                           .limit = list.limit(),
                           .as_collection = list.as_collection(),
                           .with_dead = list.with_dead(),
                           .with_locks = list.with_locks()};
    }
    case wire::Query::kListShares:
      return ListShares{read(in.list_shares().caller()), read(in.list_shares().path())};
    case wire::Query::BODY_NOT_SET:
      break;
  }
  return malformed();
}

}  // namespace pollux
