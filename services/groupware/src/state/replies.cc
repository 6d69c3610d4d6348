// The codec of pollux/groupware/requests.h: replies.
#include "state/wire_codec.h"

namespace pollux {

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

std::string encode(const LockReply& reply) {
  wire::LockReply out;
  fill(out.mutable_lock(), reply.lock);
  out.set_created(reply.created);
  return out.SerializeAsString();
}
template <>
Result<LockReply> decode_groupware_reply<LockReply>(std::string_view payload) {
  wire::LockReply in;
  if (!parse(&in, payload)) return malformed();
  return LockReply{read(in.lock()), in.created()};
}

std::string encode(const ShareList& reply) {
  wire::ShareList out;
  for (const auto& share : reply.shares) {
    auto* added = out.add_shares();
    added->set_user(share.user);
    added->set_access(static_cast<std::uint32_t>(share.access));
  }
  return out.SerializeAsString();
}
template <>
Result<ShareList> decode_groupware_reply<ShareList>(std::string_view payload) {
  wire::ShareList in;
  if (!parse(&in, payload)) return malformed();
  ShareList out;
  for (const auto& share : in.shares()) {
    out.shares.push_back({share.user(), static_cast<Access>(share.access())});
  }
  return out;
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
  out.set_access(static_cast<std::uint32_t>(reply.access));
  out.set_owner(reply.owner);
  return out.SerializeAsString();
}
template <>
Result<Listing> decode_groupware_reply<Listing>(std::string_view payload) {
  wire::Listing in;
  if (!parse(&in, payload)) return malformed();
  Listing out{.self = read(in.self()),
              .children = {},
              .more = in.more(),
              .last = in.last(),
              .access = static_cast<Access>(in.access()),
              .owner = in.owner()};
  out.children.reserve(static_cast<std::size_t>(in.children_size()));
  for (const auto& child : in.children()) out.children.push_back(read(child));
  return out;
}

std::string encode(const FoundItems& reply) {
  wire::FoundItems out;
  out.set_kind(static_cast<std::uint32_t>(reply.kind));
  out.set_timezone(reply.timezone);
  out.set_owner(reply.owner);
  out.set_access(static_cast<std::uint32_t>(reply.access));
  out.set_collection(reply.collection);
  for (const auto& item : reply.items) {
    auto* to = out.add_items();
    to->set_name(item.name);
    if (item.found) fill(to->mutable_info(), item.info);
    to->set_content(item.content);
  }
  out.set_more(reply.more);
  out.set_last(reply.last);
  out.set_change(reply.change);
  out.set_newest(reply.newest);
  return out.SerializeAsString();
}
template <>
Result<FoundItems> decode_groupware_reply<FoundItems>(std::string_view payload) {
  wire::FoundItems in;
  if (!parse(&in, payload)) return malformed();
  FoundItems out{.kind = static_cast<CollectionKind>(in.kind()),
                 .timezone = in.timezone(),
                 .owner = in.owner(),
                 .access = static_cast<Access>(in.access()),
                 .collection = in.collection(),
                 .items = {},
                 .more = in.more(),
                 .last = in.last(),
                 .change = in.change(),
                 .newest = in.newest()};
  out.items.reserve(static_cast<std::size_t>(in.items_size()));
  for (auto& item : *in.mutable_items()) {
    FoundItem& added = out.items.emplace_back();
    added.name = std::move(*item.mutable_name());
    added.found = item.has_info();
    if (added.found) added.info = read(item.info());
    added.content = std::move(*item.mutable_content());
  }
  return out;
}

std::string encode(const Refusal& reply) {
  wire::Refusal out;
  out.set_reason(static_cast<std::uint32_t>(reply.reason));
  out.set_text(reply.text);
  out.set_name(reply.name);
  for (const auto& path : reply.paths) fill(out.add_paths(), path);
  return out.SerializeAsString();
}
template <>
Result<Refusal> decode_groupware_reply<Refusal>(std::string_view payload) {
  wire::Refusal in;
  if (!parse(&in, payload)) return malformed();
  Refusal out{static_cast<RefusalReason>(in.reason()), in.text(), in.name(), {}};
  for (const auto& path : in.paths()) out.paths.push_back(read(path));
  return out;
}

}  // namespace pollux
