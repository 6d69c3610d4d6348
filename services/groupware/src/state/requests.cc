// The codec of pollux/groupware/requests.h: changes.
#include "state/wire_codec.h"

namespace pollux {

std::string encode(const GroupwareRequest& request) {
  wire::Request out;
  std::visit(
      Overloaded{
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
            to->set_first_s(put.first_s);
            to->set_last_s(put.last_s);
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
            fill(to->mutable_when(), make.when);
          },
          [&](const MakeHomes& make) { fill(out.mutable_make_homes()->mutable_caller(), make.caller); },
          [&](const SetProperties& set) {
            auto* to = out.mutable_set_properties();
            fill(to->mutable_caller(), set.caller);
            fill(to->mutable_path(), set.path);
            fill(to->mutable_when(), set.when);
            for (const auto& change : set.changes) fill(to->add_changes(), change);
            to->set_as_collection(set.as_collection);
          },
          [&](const TransferResource& transfer) {
            auto* to = out.mutable_transfer_resource();
            fill(to->mutable_caller(), transfer.caller);
            fill(to->mutable_from(), transfer.from);
            fill(to->mutable_to(), transfer.to);
            fill(to->mutable_when(), transfer.when);
            to->set_move(transfer.move);
            to->set_overwrite(transfer.overwrite);
            to->set_shallow(transfer.shallow);
            to->set_from_collection(transfer.from_collection);
          },
          [&](const LockResource& lock) {
            auto* to = out.mutable_lock_resource();
            fill(to->mutable_caller(), lock.caller);
            fill(to->mutable_path(), lock.path);
            fill(to->mutable_when(), lock.when);
            to->set_token(lock.token);
            to->set_shared(lock.shared);
            to->set_infinite(lock.infinite);
            to->set_owner_xml(lock.owner_xml);
            to->set_timeout_s(lock.timeout_s);
            to->set_as_collection(lock.as_collection);
          },
          [&](const RefreshLock& lock) {
            auto* to = out.mutable_refresh_lock();
            fill(to->mutable_caller(), lock.caller);
            fill(to->mutable_path(), lock.path);
            fill(to->mutable_when(), lock.when);
            to->set_timeout_s(lock.timeout_s);
            to->set_as_collection(lock.as_collection);
          },
          [&](const UnlockResource& unlock) {
            auto* to = out.mutable_unlock_resource();
            fill(to->mutable_caller(), unlock.caller);
            fill(to->mutable_path(), unlock.path);
            fill(to->mutable_when(), unlock.when);
            to->set_token(unlock.token);
          },
          [&](const ShareCollection& share) {
            auto* to = out.mutable_share_collection();
            fill(to->mutable_caller(), share.caller);
            fill(to->mutable_path(), share.path);
            to->set_with(share.with);
            to->set_access(static_cast<std::uint32_t>(share.access));
          },
          [&](const SetQuota& set) {
            out.mutable_set_quota()->set_user(set.user);
            out.mutable_set_quota()->set_bytes(set.bytes);
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
                     .component = put->component(),
                     .first_s = put->first_s(),
                     .last_s = put->has_last_s() ? put->last_s() : std::numeric_limits<std::int64_t>::max()};
    }
    case wire::Request::kDeleteResource: {
      const auto& del = in.delete_resource();
      return DeleteResource{read(del.caller()), read(del.path()), read(del.when()), del.as_collection()};
    }
    case wire::Request::kMakeCollection: {
      const auto& make = in.make_collection();
      return MakeCollection{read(make.caller()), read(make.path()), static_cast<CollectionKind>(make.kind()),
                            read(make.properties()), read(make.when())};
    }
    case wire::Request::kMakeHomes:
      return MakeHomes{read(in.make_homes().caller())};
    case wire::Request::kSetProperties: {
      const auto& set = in.set_properties();
      SetProperties out{read(set.caller()), read(set.path()), read(set.when()), {}, set.as_collection()};
      for (const auto& change : set.changes()) out.changes.push_back(read(change));
      return out;
    }
    case wire::Request::kTransferResource: {
      const auto& transfer = in.transfer_resource();
      return TransferResource{.caller = read(transfer.caller()),
                              .from = read(transfer.from()),
                              .to = read(transfer.to()),
                              .when = read(transfer.when()),
                              .move = transfer.move(),
                              .overwrite = transfer.overwrite(),
                              .shallow = transfer.shallow(),
                              .from_collection = transfer.from_collection()};
    }
    case wire::Request::kLockResource: {
      const auto& lock = in.lock_resource();
      return LockResource{.caller = read(lock.caller()),
                          .path = read(lock.path()),
                          .when = read(lock.when()),
                          .token = lock.token(),
                          .shared = lock.shared(),
                          .infinite = lock.infinite(),
                          .owner_xml = lock.owner_xml(),
                          .timeout_s = lock.timeout_s(),
                          .as_collection = lock.as_collection()};
    }
    case wire::Request::kRefreshLock: {
      const auto& lock = in.refresh_lock();
      return RefreshLock{.caller = read(lock.caller()),
                         .path = read(lock.path()),
                         .when = read(lock.when()),
                         .timeout_s = lock.timeout_s(),
                         .as_collection = lock.as_collection()};
    }
    case wire::Request::kUnlockResource: {
      const auto& unlock = in.unlock_resource();
      return UnlockResource{read(unlock.caller()), read(unlock.path()), read(unlock.when()), unlock.token()};
    }
    case wire::Request::kShareCollection: {
      const auto& share = in.share_collection();
      return ShareCollection{read(share.caller()), read(share.path()), share.with(),
                             static_cast<Access>(share.access())};
    }
    case wire::Request::kSetQuota:
      return SetQuota{in.set_quota().user(), in.set_quota().bytes()};
    case wire::Request::BODY_NOT_SET:
      break;
  }
  return malformed();
}

}  // namespace pollux
