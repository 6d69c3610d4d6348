// The service: decodes, dispatches, and tidies up.
#include "pollux/groupware/service.h"

#include "state/changes.h"
#include "state/found_locks.h"
#include "state/queries.h"

namespace pollux {
namespace {

std::string path_text(const ResourcePath& path) {
  std::string text = path.space == DavSpace::contacts ? "contacts/"
                     : path.space == DavSpace::files  ? "files/"
                                                      : "";
  text += path.user;
  for (const auto& name : path.names) text += "/" + name;
  return text;
}

template <class Query>
ServiceReply answer_query(const Query& asked, WallTime now, ReadTxn& txn) {
  ServiceReply reply = query(asked, now, txn);
  if constexpr (std::is_same_v<Query, GetItems> || std::is_same_v<Query, FindItems> ||
                std::is_same_v<Query, ListChanges>) {
    if (asked.with_locks) return with_found_locks(std::move(reply), asked.caller, asked.path, now, txn);
  }
  return reply;
}

class GroupwareService final : public Service {
 public:
  ServiceReply execute(const ServiceRequest& request, WriteTxn& txn) override {
    const auto decoded = decode_groupware_request(request.payload);
    if (!decoded) return refuse(Code::invalid_argument, RefusalReason::none, decoded.error().text);
    auto reply =
        std::visit([&](const auto& body) { return pollux::execute(body, request.time, txn); }, *decoded);
    purge_trash(txn);
    return reply;
  }

  ServiceReply query(const ServiceRequest& request, ReadTxn& txn) override {
    const auto decoded = decode_groupware_query(request.payload);
    if (!decoded) return refuse(Code::invalid_argument, RefusalReason::none, decoded.error().text);
    return std::visit([&](const auto& body) { return answer_query(body, request.time, txn); }, *decoded);
  }

  [[nodiscard]] bool frees_space(std::string_view payload) const override {
    // A larger one is an upload, which is not worth decoding to find out.
    constexpr std::size_t deletion_bytes_max = 64u << 10;
    if (payload.size() > deletion_bytes_max) return false;
    const auto decoded = decode_groupware_request(payload);
    return decoded &&
           (std::holds_alternative<DeleteResource>(*decoded) ||
            std::holds_alternative<RemoveUser>(*decoded) || std::holds_alternative<UnlockResource>(*decoded));
  }

  [[nodiscard]] std::string describe(std::string_view payload) const override {
    const auto decoded = decode_groupware_request(payload);
    if (!decoded)
      return "groupware request that can't be decoded, " + std::to_string(payload.size()) + " bytes";
    struct Words {
      std::string operator()(const AddUser& r) const { return "add user " + r.user; }
      std::string operator()(const SetPassword& r) const { return "set password of " + r.user; }
      std::string operator()(const RemoveUser& r) const { return "remove user " + r.user; }
      std::string operator()(const PutItem& r) const {
        return "put " + path_text(r.path) + ", " + std::to_string(r.content.size()) + " bytes, UID " + r.uid;
      }
      std::string operator()(const DeleteResource& r) const { return "delete " + path_text(r.path); }
      std::string operator()(const MakeCollection& r) const { return "make collection " + path_text(r.path); }
      std::string operator()(const MakeHomes& r) const { return "make homes of " + r.caller.user; }
      std::string operator()(const SetProperties& r) const {
        return "set " + std::to_string(r.changes.size()) + " properties of " + path_text(r.path);
      }
      std::string operator()(const TransferResource& r) const {
        return (r.move ? "move " : "copy ") + path_text(r.from) + " to " + path_text(r.to);
      }
      std::string operator()(const LockResource& r) const { return "lock " + path_text(r.path); }
      std::string operator()(const RefreshLock& r) const {
        return "refresh the lock of " + path_text(r.path);
      }
      std::string operator()(const UnlockResource& r) const { return "unlock " + path_text(r.path); }
      std::string operator()(const ShareCollection& r) const {
        return (r.access == Access::none ? "end sharing " : "share ") + path_text(r.path) + " with " + r.with;
      }
      std::string operator()(const SetQuota& r) const {
        return "set quota of " + r.user + " to " + std::to_string(r.bytes) + " bytes";
      }
    };
    return std::visit(Words{}, *decoded);
  }
};

}  // namespace

std::unique_ptr<Service> make_groupware_service() { return std::make_unique<GroupwareService>(); }

}  // namespace pollux
