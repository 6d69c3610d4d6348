// supportedlock and lockdiscovery (RFC 4918, 15.8 and 15.10).
#include <algorithm>
#include <array>

#include "dav/live_properties.h"
#include "dav/path.h"

namespace pollux {
namespace {

bool supportedlock(const Subject& subject, const PropertyContext&, std::string* out) {
  if (subject.collection == nullptr && subject.item == nullptr) return true;  // empty: nothing can be locked
  for (const std::string_view scope : {"exclusive", "shared"}) {
    out->append("<D:lockentry><D:lockscope><D:").append(scope).append("/></D:lockscope>");
    out->append("<D:locktype><D:write/></D:locktype></D:lockentry>");
  }
  return true;
}

bool lockdiscovery(const Subject& subject, const PropertyContext& context, std::string* out) {
  if (subject.collection != nullptr) append_active_locks(out, subject.collection->locks, context.now);
  if (subject.item != nullptr) append_active_locks(out, subject.item->locks, context.now);
  return true;
}

constexpr std::array<LiveProperty, 2> table{{
    {xmlns::dav, "lockdiscovery", true, true, lockdiscovery},
    {xmlns::dav, "supportedlock", true, true, supportedlock},
}};

}  // namespace

void append_active_locks(std::string* out, const std::vector<Lock>& locks, WallTime now) {
  for (const Lock& lock : locks) {
    const std::int64_t left_s = std::max<std::int64_t>((lock.expires.us - now.us) / 1'000'000, 0);
    out->append("<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope>");
    out->append(lock.shared ? "<D:shared/>" : "<D:exclusive/>").append("</D:lockscope><D:depth>");
    out->append(lock.infinite ? "infinity" : "0").append("</D:depth>");
    if (!lock.owner_xml.empty()) out->append("<D:owner>").append(lock.owner_xml).append("</D:owner>");
    out->append("<D:timeout>Second-").append(std::to_string(left_s)).append("</D:timeout><D:locktoken>");
    write_href(lock.token, out);
    out->append("</D:locktoken><D:lockroot>");
    write_href(resource_href(lock.root, false), out);
    out->append("</D:lockroot></D:activelock>");
  }
}

std::span<const LiveProperty> lock_properties() { return table; }

}  // namespace pollux
