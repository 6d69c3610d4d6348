// REPORT (RFC 3253, 3.6): the questions of CalDAV, CardDAV and synchronization, one file each.
#pragma once

#include <span>
#include <string_view>

#include "dav/xml.h"
#include "http/outcome.h"

namespace pollux {

/// `root` is the body's root element; the function may move it away. It is the right one for the function.
Outcome report_calendar_query(const DavRequest& request, XmlElement root);
Outcome report_calendar_multiget(const DavRequest& request, XmlElement root);
Outcome report_free_busy(const DavRequest& request, XmlElement root);
Outcome report_addressbook_query(const DavRequest& request, XmlElement root);
Outcome report_addressbook_multiget(const DavRequest& request, XmlElement root);
Outcome report_sync_collection(const DavRequest& request, XmlElement root);
Outcome report_expand_property(const DavRequest& request, XmlElement root);
Outcome report_principal_match(const DavRequest& request, XmlElement root);
Outcome report_principal_property_search(const DavRequest& request, XmlElement root);
Outcome report_principal_search_property_set(const DavRequest& request, XmlElement root);

/// 403 with DAV:supported-report (RFC 3253, 3.6).
HttpResponse unsupported_report(std::string_view sentence);

/// What DAV:supported-report-set tells of a collection: names with prefixes, such as "C:calendar-query".
std::span<const std::string_view> reports_of(CollectionKind kind);
/// What it tells of users, and of the place where they are. DAV:expand-property, which is there everywhere,
/// is told apart from both.
std::span<const std::string_view> reports_of_principals();

}  // namespace pollux
