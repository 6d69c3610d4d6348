// principal-match, principal-property-search and principal-search-property-set (RFC 3744, 9.3 to 9.5):
// finding oneself and other users.
#include <algorithm>
#include <memory>

#include "dav/errors.h"
#include "dav/properties.h"
#include "dav/report.h"

namespace pollux {
namespace {

struct SearchLimits {
  static constexpr std::size_t conditions_max = 20;
  static constexpr std::size_t principals_max = 200;  ///< told by one answer
};

constexpr std::string_view search_properties =
    "<D:principal-search-property><D:prop><D:displayname/></D:prop>"
    "<D:description xml:lang=\"en\">Name</D:description></D:principal-search-property>"
    "<D:principal-search-property><D:prop><C:calendar-user-address-set/></D:prop>"
    "<D:description xml:lang=\"en\">Address</D:description></D:principal-search-property>"
    "<D:principal-search-property><D:prop><CS:email-address-set/></D:prop>"
    "<D:description xml:lang=\"en\">Mail address</D:description></D:principal-search-property>";

/// ASCII letters without case; other characters as they are.
std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

enum class MatchType : std::uint8_t { contains, equals, starts_with, ends_with };

struct Condition {
  std::vector<XmlName> properties;  ///< any of them
  std::string match;                ///< folded
  MatchType type = MatchType::contains;
};

const std::string* attribute(const XmlElement& element, std::string_view name) {
  for (const auto& [key, value] : element.attributes) {
    if (key.space.empty() && key.name == name) return &value;
  }
  return nullptr;
}

MatchType type_of(const XmlElement& match) {
  const std::string* type = attribute(match, "match-type");
  if (type == nullptr || *type == "contains") return MatchType::contains;
  if (*type == "equals") return MatchType::equals;
  return *type == "starts-with" ? MatchType::starts_with : MatchType::ends_with;
}

bool matches(const Condition& condition, std::string_view text) {
  const std::string have = folded(text);
  switch (condition.type) {
    case MatchType::equals:
      return have == condition.match;
    case MatchType::starts_with:
      return have.starts_with(condition.match);
    case MatchType::ends_with:
      return have.ends_with(condition.match);
    case MatchType::contains:
      break;
  }
  return have.contains(condition.match);
}

/// What a property of a principal is searched in.
std::vector<std::string> values_of(const XmlName& property, const PrincipalInfo& principal) {
  if (property.space == xmlns::dav && property.name == "displayname") return {principal.display_name};
  const bool addresses = property.space == xmlns::caldav && property.name == "calendar-user-address-set";
  const bool mails = property.space == xmlns::calendarserver && property.name == "email-address-set";
  std::vector<std::string> values;
  if (addresses) values.push_back(principal_href(principal.user));
  if ((addresses || mails) && principal.user.contains('@')) values.push_back(principal.user);
  return values;
}

/// One search on its way through the pages of users.
struct Search : std::enable_shared_from_this<Search> {
  explicit Search(const DavRequest& dav_request)
      : request(dav_request),
        context{.user = request.caller.user, .item_bytes_max = request.limits.body_bytes_max, .now = {}},
        body(multistatus_begin()) {
    question.mode = PropfindQuestion::Mode::some;
    question.minimal = prefers_minimal(request.http);
  }

  const DavRequest& request;
  const PropertyContext context;
  PropfindQuestion question;
  std::vector<Condition> conditions;
  bool any = false;  ///< one condition is enough
  std::string body;
  std::size_t found = 0;

  [[nodiscard]] bool is_found(const PrincipalInfo& principal) const {
    const auto meets = [&](const Condition& condition) {
      return std::ranges::any_of(condition.properties, [&](const XmlName& property) {
        return std::ranges::any_of(values_of(property, principal),
                                   [&](const std::string& value) { return matches(condition, value); });
      });
    };
    return any ? std::ranges::any_of(conditions, meets) : std::ranges::all_of(conditions, meets);
  }

  Outcome ask(std::string after) {
    const ListUsers list{.after = std::move(after), .limit = 1000, .caller = request.caller};
    return ask_query(list,
                     [run = shared_from_this()](const PairReply& reply) { return run->with_page(reply); });
  }

  Outcome with_page(const PairReply& reply) {
    if (reply.code != Code::ok) return refusal_response(reply, request);
    const auto page = decode_groupware_reply<UserList>(reply.payload);
    if (!page) return plain_response(500, page.error().text);
    for (const auto& principal : page->users) {
      if (!is_found(principal)) continue;
      if (++found > SearchLimits::principals_max) {
        return precondition_response(403, "D:number-of-matches-within-limits",
                                     "More than " + std::to_string(SearchLimits::principals_max) +
                                         " users match: ask for less of them.");
      }
      append_response(&body,
                      {.kind = SubjectKind::principal,
                       .href = principal_href(principal.user),
                       .principal = &principal,
                       .owner = {}},
                      question, context);
    }
    if (page->more && !page->users.empty()) return ask(page->users.back().user);
    return multistatus_response(std::move(body));
  }
};

}  // namespace

Outcome report_principal_match(const DavRequest& request, XmlElement root) {
  const auto depth = request.http.header("Depth");
  if (depth && *depth != "0") return plain_response(400, "This report is asked with Depth 0.");
  if (request.path.kind != DavPathKind::principals && request.path.kind != DavPathKind::principal) {
    return unsupported_report("This report is about users: ask it of /dav/principals/");
  }
  if (root.child(xmlns::dav, "principal-property") != nullptr) {
    return unsupported_report("Users are matched by DAV:self only: no other property here names a user.");
  }
  if (root.child(xmlns::dav, "self") == nullptr) {
    return plain_response(400, "A DAV:principal-match holds DAV:self.");
  }
  PropfindQuestion question;
  question.mode = PropfindQuestion::Mode::some;
  question.minimal = prefers_minimal(request.http);
  if (const XmlElement* prop = root.child(xmlns::dav, "prop")) question.names = names_in(*prop);
  const std::string& self = request.caller.user;
  const bool elsewhere = request.path.kind == DavPathKind::principal && request.path.resource.user != self;
  const GetPrincipal get{.caller = request.caller, .user = self};
  return ask_query(
      get, [&request, question = std::move(question), elsewhere](const PairReply& reply) -> Outcome {
        if (reply.code != Code::ok) return refusal_response(reply, request);
        const auto principal = decode_groupware_reply<PrincipalInfo>(reply.payload);
        if (!principal) return plain_response(500, principal.error().text);
        std::string body = multistatus_begin();
        if (!elsewhere) {
          append_response(
              &body,
              {.kind = SubjectKind::principal,
               .href = principal_href(principal->user),
               .principal = &*principal,
               .owner = {}},
              question,
              {.user = principal->user, .item_bytes_max = request.limits.body_bytes_max, .now = {}});
        }
        return multistatus_response(std::move(body));
      });
}

Outcome report_principal_property_search(const DavRequest& request, XmlElement root) {
  const auto depth = request.http.header("Depth");
  if (depth && *depth != "0") return plain_response(400, "This report is asked with Depth 0.");
  if (request.path.kind != DavPathKind::principals &&
      root.child(xmlns::dav, "apply-to-principal-collection-set") == nullptr) {
    return unsupported_report("This report is about all users: ask it of /dav/principals/");
  }
  const auto search = std::make_shared<Search>(request);
  const std::string* test = attribute(root, "test");
  search->any = test != nullptr && *test == "anyof";
  for (const auto& part : root.children) {
    if (part.is(xmlns::dav, "prop")) search->question.names = names_in(part);
    if (!part.is(xmlns::dav, "property-search")) continue;
    const XmlElement* prop = part.child(xmlns::dav, "prop");
    const XmlElement* match = part.child(xmlns::dav, "match");
    if (prop == nullptr || match == nullptr || prop->children.empty()) {
      return plain_response(400, "A DAV:property-search holds a DAV:prop with names, and a DAV:match.");
    }
    search->conditions.push_back({names_in(*prop), folded(match->text), type_of(*match)});
  }
  if (search->conditions.empty() || search->conditions.size() > SearchLimits::conditions_max) {
    return plain_response(400, "The report holds between one DAV:property-search and " +
                                   std::to_string(SearchLimits::conditions_max) + " of them.");
  }
  return search->ask({});
}

Outcome report_principal_search_property_set(const DavRequest&, XmlElement) {
  HttpResponse response{.status = 200,
                        .headers = "Content-Type: application/xml; charset=utf-8\r\n",
                        .body = {},
                        .length = {},
                        .close = false};
  response.body.append(xml_prolog)
      .append("<D:principal-search-property-set")
      .append(xml_declarations)
      .append(">");
  response.body.append(search_properties).append("</D:principal-search-property-set>\n");
  return response;
}

}  // namespace pollux
