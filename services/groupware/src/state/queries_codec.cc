// The codec of pollux/groupware/requests.h: queries.
#include "state/wire_codec.h"

namespace pollux {
namespace {

using pollux::fill;
using pollux::read;

void fill(wire::GetItems* to, const GetItems& from) {
  pollux::fill(to->mutable_caller(), from.caller);
  pollux::fill(to->mutable_path(), from.path);
  for (const auto& name : from.names) to->add_names(name);
  to->set_with_content(from.with_content);
  to->set_with_dead(from.with_dead);
  to->set_with_locks(from.with_locks);
}
GetItems read(const wire::GetItems& from) {
  return {.caller = pollux::read(from.caller()),
          .path = pollux::read(from.path()),
          .names = {from.names().begin(), from.names().end()},
          .with_content = from.with_content(),
          .with_dead = from.with_dead(),
          .with_locks = from.with_locks()};
}

void fill(wire::FindItems* to, const FindItems& from) {
  pollux::fill(to->mutable_caller(), from.caller);
  pollux::fill(to->mutable_path(), from.path);
  to->set_component(from.component);
  to->set_from_s(from.from_s);
  to->set_to_s(from.to_s);
  to->set_after(from.after);
  to->set_with_content(from.with_content);
  to->set_with_dead(from.with_dead);
  to->set_with_locks(from.with_locks);
}
FindItems read(const wire::FindItems& from) {
  return {.caller = pollux::read(from.caller()),
          .path = pollux::read(from.path()),
          .component = from.component(),
          .from_s = from.from_s(),
          .to_s = from.to_s(),
          .after = from.after(),
          .with_content = from.with_content(),
          .with_dead = from.with_dead(),
          .with_locks = from.with_locks()};
}

void fill(wire::ListChanges* to, const ListChanges& from) {
  pollux::fill(to->mutable_caller(), from.caller);
  pollux::fill(to->mutable_path(), from.path);
  to->set_collection(from.collection);
  to->set_since(from.since);
  to->set_deleted_since(from.deleted_since);
  to->set_up_to(from.up_to);
  to->set_limit(from.limit);
  to->set_with_content(from.with_content);
  to->set_with_dead(from.with_dead);
  to->set_with_locks(from.with_locks);
}
ListChanges read(const wire::ListChanges& from) {
  return {.caller = pollux::read(from.caller()),
          .path = pollux::read(from.path()),
          .collection = from.collection(),
          .since = from.since(),
          .deleted_since = from.deleted_since(),
          .up_to = from.up_to(),
          .limit = from.limit(),
          .with_content = from.with_content(),
          .with_dead = from.with_dead(),
          .with_locks = from.with_locks()};
}

}  // namespace

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
                 [&](const GetItems& get) { fill(out.mutable_get_items(), get); },
                 [&](const FindItems& find) { fill(out.mutable_find_items(), find); },
                 [&](const ListChanges& list) { fill(out.mutable_list_changes(), list); },
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
    case wire::Query::kGetItems:
      return read(in.get_items());
    case wire::Query::kFindItems:
      return read(in.find_items());
    case wire::Query::kListChanges:
      return read(in.list_changes());
    case wire::Query::BODY_NOT_SET:
      break;
  }
  return malformed();
}

}  // namespace pollux
