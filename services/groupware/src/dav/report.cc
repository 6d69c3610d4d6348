#include "dav/report.h"

#include <algorithm>
#include <array>

#include "dav/errors.h"
#include "dav/methods.h"

namespace pollux {
namespace {

struct Report {
  std::string_view space, name;
  Outcome (*handle)(const DavRequest&, XmlElement);
  bool anywhere = false;  ///< it is asked elsewhere than of a collection, too
};
constexpr std::array<Report, 10> reports{{
    {xmlns::caldav, "calendar-query", report_calendar_query},
    {xmlns::caldav, "calendar-multiget", report_calendar_multiget},
    {xmlns::caldav, "free-busy-query", report_free_busy},
    {xmlns::carddav, "addressbook-query", report_addressbook_query},
    {xmlns::carddav, "addressbook-multiget", report_addressbook_multiget},
    {xmlns::dav, "sync-collection", report_sync_collection},
    {xmlns::dav, "expand-property", report_expand_property, true},
    {xmlns::dav, "principal-match", report_principal_match, true},
    {xmlns::dav, "principal-property-search", report_principal_property_search, true},
    {xmlns::dav, "principal-search-property-set", report_principal_search_property_set, true},
}};

}  // namespace

HttpResponse unsupported_report(std::string_view sentence) {
  return precondition_response(403, "D:supported-report", sentence);
}

std::span<const std::string_view> reports_of(CollectionKind kind) {
  static constexpr std::array<std::string_view, 4> calendar{"C:calendar-query", "C:calendar-multiget",
                                                            "C:free-busy-query", "D:sync-collection"};
  static constexpr std::array<std::string_view, 3> addressbook{
      "CARD:addressbook-query", "CARD:addressbook-multiget", "D:sync-collection"};
  static constexpr std::array<std::string_view, 1> plain{"D:sync-collection"};
  if (kind == CollectionKind::calendar) return calendar;
  if (kind == CollectionKind::addressbook) return addressbook;
  return plain;
}

std::span<const std::string_view> reports_of_principals() {
  static constexpr std::array<std::string_view, 3> users{"D:principal-match", "D:principal-property-search",
                                                         "D:principal-search-property-set"};
  return users;
}

Outcome handle_report(const DavRequest& request) {
  if (request.http.body.empty()) {
    return plain_response(400, "A REPORT says in its body what it asks, and this one has none.");
  }
  auto root = parse_xml(request.http.body);
  if (!root) return plain_response(400, root.error().text);
  const auto* found = std::ranges::find_if(
      reports, [&](const Report& report) { return root->is(report.space, report.name); });
  if (found == reports.end())
    return unsupported_report("This server has no report \"" + root->name.name + "\".");
  if (!found->anywhere && request.path.kind != DavPathKind::resource) {
    return unsupported_report("This report is about a collection: ask it of that collection's URL.");
  }
  return found->handle(request, std::move(*root));
}

}  // namespace pollux
