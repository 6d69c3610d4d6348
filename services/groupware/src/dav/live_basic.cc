// Properties of every WebDAV resource: RFC 4918, quota (RFC 4331), sync-token (RFC 6578), getctag.
#include <array>
#include <ctime>

#include "dav/live_properties.h"
#include "dav/report.h"
#include "http/message.h"
#include "state/sync_token.h"

namespace pollux {
namespace {

bool resourcetype(const Subject& subject, const PropertyContext&, std::string* out) {
  if (subject.kind == SubjectKind::item) return true;  // empty
  if (subject.kind == SubjectKind::principal) {
    out->append("<D:collection/><D:principal/>");
    return true;
  }
  out->append("<D:collection/>");
  if (subject.kind == SubjectKind::calendar) out->append("<C:calendar/>");
  if (subject.kind == SubjectKind::addressbook) out->append("<CARD:addressbook/>");
  if (subject.collection != nullptr && subject.collection->shared) out->append("<CS:shared/>");
  if (subject.collection != nullptr && subject.collection->sharing) out->append("<CS:shared-owner/>");
  return true;
}

std::string home_name(const Subject& subject) {
  const std::string& own = subject.collection->properties.display_name;
  if (!own.empty()) return own;
  switch (subject.space) {
    case DavSpace::calendars:
      return "Calendars of " + subject.collection->owner;
    case DavSpace::contacts:
      return "Address books of " + subject.collection->owner;
    case DavSpace::files:
      break;
  }
  return "Files of " + subject.collection->owner;
}

bool displayname(const Subject& subject, const PropertyContext&, std::string* out) {
  switch (subject.kind) {
    case SubjectKind::root:
      return write_text("Pollux", out);
    case SubjectKind::principals:
      return write_text("Users", out);
    case SubjectKind::homes:
      return write_text(subject.space == DavSpace::calendars  ? "Calendars"
                        : subject.space == DavSpace::contacts ? "Address books"
                                                              : "Files",
                        out);
    case SubjectKind::principal:
      return write_text(subject.principal->display_name, out);
    case SubjectKind::home:
      return write_text(home_name(subject), out);
    case SubjectKind::calendar:
    case SubjectKind::addressbook:
    case SubjectKind::plain:
      return write_text(subject.collection->properties.display_name.empty()
                            ? subject.collection->name
                            : subject.collection->properties.display_name,
                        out);
    case SubjectKind::item:
      break;  // kept like a dead property
  }
  return false;
}

bool getetag(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.item != nullptr && write_text(subject.item->etag, out);
}
bool getcontentlength(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.item != nullptr && write_text(std::to_string(subject.item->bytes), out);
}
bool getcontenttype(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.item != nullptr && write_text(subject.item->content_type, out);
}

bool getlastmodified(const Subject& subject, const PropertyContext&, std::string* out) {
  if (subject.item != nullptr) return write_text(http_date(subject.item->modified.us / 1'000'000), out);
  return subject.collection != nullptr &&
         write_text(http_date(subject.collection->modified.us / 1'000'000), out);
}

/// RFC 3339, in UTC.
bool creationdate(const Subject& subject, const PropertyContext&, std::string* out) {
  std::time_t time = 0;
  if (subject.item != nullptr) {
    time = subject.item->created.us / 1'000'000;
  } else if (subject.collection != nullptr) {
    time = subject.collection->created.us / 1'000'000;
  } else if (subject.principal != nullptr) {
    time = subject.principal->created.us / 1'000'000;
  } else {
    return false;
  }
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return write_text({text.data(), size}, out);
}

bool quota_used_bytes(const Subject& subject, const PropertyContext&, std::string* out) {
  if (subject.collection != nullptr) return write_text(std::to_string(subject.collection->used_bytes), out);
  return false;
}
/// Only where there is a limit: the room on the disk is nobody's own (RFC 4331, 3).
bool quota_available_bytes(const Subject& subject, const PropertyContext&, std::string* out) {
  const CollectionInfo* collection = subject.collection;
  if (collection == nullptr || collection->quota_bytes == 0) return false;
  const std::uint64_t used = std::min(collection->used_bytes, collection->quota_bytes);
  return write_text(std::to_string(collection->quota_bytes - used), out);
}

/// The collection's id is never used again, so the tag of a collection made anew is another.
bool getctag(const Subject& subject, const PropertyContext&, std::string* out) {
  return subject.collection != nullptr &&
         write_text(std::to_string(subject.collection->id) + "-" + std::to_string(subject.collection->change),
                    out);
}

bool sync_token(const Subject& subject, const PropertyContext&, std::string* out) {
  if (subject.collection == nullptr) return false;
  return write_text(make_sync_token(subject.collection->id, subject.collection->change), out);
}

bool supported_report_set(const Subject& subject, const PropertyContext&, std::string* out) {
  std::span<const std::string_view> reports;
  if (subject.kind == SubjectKind::principal || subject.kind == SubjectKind::principals) {
    reports = reports_of_principals();
  } else if (subject.collection != nullptr && subject.kind != SubjectKind::home) {
    reports = reports_of(subject.collection->kind);
  }
  const auto tell = [&](std::string_view report) {
    out->append("<D:supported-report><D:report><")
        .append(report)
        .append("/></D:report></D:supported-report>");
  };
  for (const std::string_view report : reports) tell(report);
  tell("D:expand-property");
  return true;
}

constexpr std::array<LiveProperty, 12> table{{
    {xmlns::dav, "resourcetype", true, true, resourcetype},
    {xmlns::dav, "displayname", true, false, displayname},
    {xmlns::dav, "getetag", true, true, getetag},
    {xmlns::dav, "getcontentlength", true, true, getcontentlength},
    {xmlns::dav, "getcontenttype", true, true, getcontenttype},
    {xmlns::dav, "getlastmodified", true, true, getlastmodified},
    {xmlns::dav, "creationdate", true, true, creationdate},
    {xmlns::dav, "quota-used-bytes", false, true, quota_used_bytes},
    {xmlns::dav, "quota-available-bytes", false, true, quota_available_bytes},
    {xmlns::dav, "supported-report-set", false, true, supported_report_set},
    {xmlns::dav, "sync-token", false, true, sync_token},
    {xmlns::calendarserver, "getctag", false, true, getctag},
}};

}  // namespace

std::span<const LiveProperty> basic_properties() { return table; }

}  // namespace pollux
