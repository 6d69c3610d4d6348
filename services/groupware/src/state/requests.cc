// The codec of pollux/groupware/requests.h.
#include "pollux/groupware/requests.h"

#include "state/properties_codec.h"

namespace pollux {
namespace {

namespace wire = groupware_wire;
using pollux::fill;
using pollux::read;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// --- parts -------------------------------------------------------------------------------------------

void fill(wire::Caller* to, const Caller& from) {
  to->set_user(from.user);
  to->set_credential_version(from.credential_version);
}
Caller read(const wire::Caller& from) { return {from.user(), from.credential_version()}; }

void fill(wire::Path* to, const ResourcePath& from) {
  to->set_space(static_cast<std::uint32_t>(from.space));
  to->set_user(from.user);
  for (const auto& name : from.names) to->add_names(name);
}
ResourcePath read(const wire::Path& from) {
  return {static_cast<DavSpace>(from.space()), from.user(), {from.names().begin(), from.names().end()}};
}

void fill(wire::TagList* to, const TagList& from) {
  to->set_any(from.any);
  for (const auto& tag : from.tags) {
    auto* added = to->add_tags();
    added->set_weak(tag.weak);
    added->set_value(tag.value);
  }
}
TagList read(const wire::TagList& from) {
  TagList to{from.any(), {}};
  for (const auto& tag : from.tags()) to.tags.push_back({tag.weak(), tag.value()});
  return to;
}

void fill(wire::Preconditions* to, const Preconditions& from) {
  if (from.match) fill(to->mutable_match(), *from.match);
  if (from.none_match) fill(to->mutable_none_match(), *from.none_match);
  if (from.unmodified_since_s) to->set_unmodified_since_s(*from.unmodified_since_s);
}
Preconditions read(const wire::Preconditions& from) {
  Preconditions to;
  if (from.has_match()) to.match = read(from.match());
  if (from.has_none_match()) to.none_match = read(from.none_match());
  if (from.has_unmodified_since_s()) to.unmodified_since_s = from.unmodified_since_s();
  return to;
}

void fill(wire::ItemInfo* to, const ItemInfo& from) {
  to->set_name(from.name);
  to->set_etag(from.etag);
  to->set_content_type(from.content_type);
  to->set_component(from.component);
  to->set_uid(from.uid);
  to->set_bytes(from.bytes);
  to->set_created_us(from.created.us);
  to->set_modified_us(from.modified.us);
  to->set_change(from.change);
}
ItemInfo read(const wire::ItemInfo& from) {
  return {.name = from.name(),
          .etag = from.etag(),
          .content_type = from.content_type(),
          .component = from.component(),
          .uid = from.uid(),
          .bytes = from.bytes(),
          .created = {from.created_us()},
          .modified = {from.modified_us()},
          .change = from.change()};
}

void fill(wire::Resource* to, const Resource& from) {
  if (const auto* item = std::get_if<ItemInfo>(&from)) {
    fill(to->mutable_item(), *item);
    return;
  }
  const auto& info = std::get<CollectionInfo>(from);
  auto* collection = to->mutable_collection();
  collection->set_name(info.name);
  collection->set_kind(static_cast<std::uint32_t>(info.kind));
  fill(collection->mutable_properties(), info.properties);
  collection->set_id(info.id);
  collection->set_change(info.change);
  collection->set_items(info.items);
  collection->set_bytes(info.bytes);
  collection->set_created_us(info.created.us);
  collection->set_modified_us(info.modified.us);
  collection->set_owner(info.owner);
}
Resource read(const wire::Resource& from) {
  if (from.has_item()) return read(from.item());
  const auto& info = from.collection();
  return CollectionInfo{.name = info.name(),
                        .kind = static_cast<CollectionKind>(info.kind()),
                        .properties = read(info.properties()),
                        .id = info.id(),
                        .change = info.change(),
                        .items = info.items(),
                        .bytes = info.bytes(),
                        .created = {info.created_us()},
                        .modified = {info.modified_us()},
                        .owner = info.owner()};
}

void fill(wire::PrincipalInfo* to, const PrincipalInfo& from) {
  to->set_user(from.user);
  to->set_display_name(from.display_name);
  to->set_created_us(from.created.us);
}
PrincipalInfo read(const wire::PrincipalInfo& from) {
  return {from.user(), from.display_name(), {from.created_us()}};
}

template <class Wire>
bool parse(Wire* wire, std::string_view payload) {
  return wire->ParseFromArray(payload.data(), static_cast<int>(payload.size()));
}

std::unexpected<Error> malformed() {
  return fail(Code::malformed,
              "This is no groupware request, or one of a newer version: upgrade this side first.");
}

}  // namespace

// --- requests ----------------------------------------------------------------------------------------

std::string encode(const GroupwareRequest& request) {
  wire::Request out;
  std::visit(Overloaded{
                 [&](const AddUser& add) {
                   auto* to = out.mutable_add_user();
                   to->set_user(add.user);
                   to->set_display_name(add.display_name);
                   to->set_password_hash(add.password_hash);
                 },
                 [&](const SetPassword& set) {
                   auto* to = out.mutable_set_password();
                   to->set_user(set.user);
                   to->set_password_hash(set.password_hash);
                 },
                 [&](const RemoveUser& remove) { out.mutable_remove_user()->set_user(remove.user); },
                 [&](const PutItem& put) {
                   auto* to = out.mutable_put_item();
                   fill(to->mutable_caller(), put.caller);
                   fill(to->mutable_path(), put.path);
                   fill(to->mutable_when(), put.when);
                   to->set_content(put.content);
                   to->set_content_type(put.content_type);
                   to->set_uid(put.uid);
                   to->set_component(put.component);
                 },
                 [&](const DeleteResource& del) {
                   auto* to = out.mutable_delete_resource();
                   fill(to->mutable_caller(), del.caller);
                   fill(to->mutable_path(), del.path);
                   fill(to->mutable_when(), del.when);
                   to->set_as_collection(del.as_collection);
                 },
                 [&](const MakeCollection& make) {
                   auto* to = out.mutable_make_collection();
                   fill(to->mutable_caller(), make.caller);
                   fill(to->mutable_path(), make.path);
                   to->set_kind(static_cast<std::uint32_t>(make.kind));
                   fill(to->mutable_properties(), make.properties);
                 },
             },
             request);
  return out.SerializeAsString();
}

Result<GroupwareRequest> decode_groupware_request(std::string_view payload) {
  wire::Request in;
  if (!parse(&in, payload)) return malformed();
  switch (in.body_case()) {
    case wire::Request::kAddUser:
      return AddUser{in.add_user().user(), in.add_user().display_name(), in.add_user().password_hash()};
    case wire::Request::kSetPassword:
      return SetPassword{in.set_password().user(), in.set_password().password_hash()};
    case wire::Request::kRemoveUser:
      return RemoveUser{in.remove_user().user()};
    case wire::Request::kPutItem: {
      auto* put = in.mutable_put_item();
      return PutItem{.caller = read(put->caller()),
                     .path = read(put->path()),
                     .when = read(put->when()),
                     .content = std::move(*put->mutable_content()),
                     .content_type = put->content_type(),
                     .uid = put->uid(),
                     .component = put->component()};
    }
    case wire::Request::kDeleteResource: {
      const auto& del = in.delete_resource();
      return DeleteResource{read(del.caller()), read(del.path()), read(del.when()), del.as_collection()};
    }
    case wire::Request::kMakeCollection: {
      const auto& make = in.make_collection();
      return MakeCollection{read(make.caller()), read(make.path()), static_cast<CollectionKind>(make.kind()),
                            read(make.properties())};
    }
    case wire::Request::BODY_NOT_SET:
      break;
  }
  return malformed();
}

// --- queries -----------------------------------------------------------------------------------------

std::string encode(const GroupwareQuery& query) {
  wire::Query out;
  std::visit(Overloaded{
                 [&](const GetCredentials& get) { out.mutable_get_credentials()->set_user(get.user); },
                 [&](const ListUsers& list) {
                   out.mutable_list_users()->set_after(list.after);
                   out.mutable_list_users()->set_limit(list.limit);
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
    case wire::Query::kListUsers:
      return ListUsers{in.list_users().after(), in.list_users().limit()};
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
                           .as_collection = list.as_collection()};
    }
    case wire::Query::BODY_NOT_SET:
      break;
  }
  return malformed();
}

// --- replies -----------------------------------------------------------------------------------------

std::string encode(const Credentials& reply) {
  wire::Credentials out;
  out.set_user(reply.user);
  out.set_password_hash(reply.password_hash);
  out.set_credential_version(reply.credential_version);
  return out.SerializeAsString();
}
template <>
Result<Credentials> decode_groupware_reply<Credentials>(std::string_view payload) {
  wire::Credentials in;
  if (!parse(&in, payload)) return malformed();
  return Credentials{in.user(), in.password_hash(), in.credential_version()};
}

std::string encode(const PrincipalInfo& reply) {
  wire::PrincipalInfo out;
  fill(&out, reply);
  return out.SerializeAsString();
}
template <>
Result<PrincipalInfo> decode_groupware_reply<PrincipalInfo>(std::string_view payload) {
  wire::PrincipalInfo in;
  if (!parse(&in, payload)) return malformed();
  return read(in);
}

std::string encode(const UserList& reply) {
  wire::UserList out;
  for (const auto& user : reply.users) fill(out.add_users(), user);
  out.set_more(reply.more);
  return out.SerializeAsString();
}
template <>
Result<UserList> decode_groupware_reply<UserList>(std::string_view payload) {
  wire::UserList in;
  if (!parse(&in, payload)) return malformed();
  UserList out{{}, in.more()};
  for (const auto& user : in.users()) out.users.push_back(read(user));
  return out;
}

std::string encode(const Stored& reply) {
  wire::Stored out;
  out.set_etag(reply.etag);
  out.set_created(reply.created);
  out.set_modified_us(reply.modified.us);
  return out.SerializeAsString();
}
template <>
Result<Stored> decode_groupware_reply<Stored>(std::string_view payload) {
  wire::Stored in;
  if (!parse(&in, payload)) return malformed();
  return Stored{in.etag(), in.created(), {in.modified_us()}};
}

std::string encode(const Item& reply) {
  wire::Item out;
  fill(out.mutable_info(), reply.info);
  out.set_content(reply.content);
  out.set_not_modified(reply.not_modified);
  return out.SerializeAsString();
}
template <>
Result<Item> decode_groupware_reply<Item>(std::string_view payload) {
  wire::Item in;
  if (!parse(&in, payload)) return malformed();
  return Item{read(in.info()), std::move(*in.mutable_content()), in.not_modified()};
}

std::string encode(const Listing& reply) {
  wire::Listing out;
  fill(out.mutable_self(), reply.self);
  for (const auto& child : reply.children) fill(out.add_children(), child);
  out.set_more(reply.more);
  out.set_last(reply.last);
  return out.SerializeAsString();
}
template <>
Result<Listing> decode_groupware_reply<Listing>(std::string_view payload) {
  wire::Listing in;
  if (!parse(&in, payload)) return malformed();
  Listing out{read(in.self()), {}, in.more(), in.last()};
  out.children.reserve(static_cast<std::size_t>(in.children_size()));
  for (const auto& child : in.children()) out.children.push_back(read(child));
  return out;
}

std::string encode(const Refusal& reply) {
  wire::Refusal out;
  out.set_reason(static_cast<std::uint32_t>(reply.reason));
  out.set_text(reply.text);
  out.set_name(reply.name);
  return out.SerializeAsString();
}
template <>
Result<Refusal> decode_groupware_reply<Refusal>(std::string_view payload) {
  wire::Refusal in;
  if (!parse(&in, payload)) return malformed();
  return Refusal{static_cast<RefusalReason>(in.reason()), in.text(), in.name()};
}

}  // namespace pollux
