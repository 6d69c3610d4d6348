// expand-property (RFC 3253, 3.8): properties whose values are URLs, with properties of what these lead to in
// their places, and so on. Clients of Apple find a user's collections with it.
#include <algorithm>
#include <map>
#include <memory>

#include "dav/errors.h"
#include "dav/properties.h"
#include "dav/report.h"

namespace pollux {
namespace {

struct ExpandLimits {
  static constexpr std::size_t properties_max = 200;  ///< named by one report
  static constexpr std::size_t levels_max = 8;
  static constexpr std::size_t resources_max = 100;   ///< looked up for one report
  static constexpr std::size_t responses_max = 1000;  ///< in one answer
};

/// A DAV:property of the report, with those that are asked of what it leads to.
struct Wanted {
  XmlName name;
  std::vector<Wanted> inner;
};

const std::string* attribute(const XmlElement& element, std::string_view name) {
  for (const auto& [key, value] : element.attributes) {
    if (key.space.empty() && key.name == name) return &value;
  }
  return nullptr;
}

/// It can be written as an element's name: an NCName, as far as XML parsers look.
bool is_element_name(std::string_view name) {
  const auto starts = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  const auto goes_on = [&](char c) { return starts(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !name.empty() && starts(name.front()) && std::ranges::all_of(name, goes_on);
}

class WantedReader {
 public:
  /// The DAV:property elements in an element.
  Result<std::vector<Wanted>> read(const XmlElement& element, std::size_t level) {
    std::vector<Wanted> all;
    for (const auto& child : element.children) {
      if (!child.is(xmlns::dav, "property")) continue;
      const std::string* name = attribute(child, "name");
      const std::string* space = attribute(child, "namespace");
      if (name == nullptr || !is_element_name(*name)) {
        return fail(Code::malformed, "A DAV:property in the report has a name that is an element's.");
      }
      if (++count_ > ExpandLimits::properties_max || level >= ExpandLimits::levels_max) {
        return fail(Code::malformed, "The report names more than " +
                                         std::to_string(ExpandLimits::properties_max) +
                                         " properties, or has more than " +
                                         std::to_string(ExpandLimits::levels_max) + " levels.");
      }
      auto inner = read(child, level + 1);
      if (!inner) return std::unexpected(inner.error());
      all.push_back({{space == nullptr ? std::string(xmlns::dav) : *space, *name}, std::move(*inner)});
    }
    return all;
  }

 private:
  std::size_t count_ = 0;
};

/// What a URL leads to: as it was told, or why it was not.
struct Target {
  DavPath path;
  std::string href;
  std::string_view refused;  ///< a status line without the version
  std::optional<PrincipalInfo> principal;
  std::optional<Listing> listing;

  [[nodiscard]] Subject subject() const {
    switch (path.kind) {
      case DavPathKind::principals:
        return {.kind = SubjectKind::principals, .href = href, .owner = {}};
      case DavPathKind::principal:
        return {.kind = SubjectKind::principal, .href = href, .principal = &*principal, .owner = {}};
      case DavPathKind::homes:
        return {.kind = SubjectKind::homes, .href = href, .space = path.resource.space, .owner = {}};
      case DavPathKind::resource:
        return subject_of(listing->self, href, path.resource.space, listing->owner, listing->access);
      default:
        return {.kind = SubjectKind::root, .href = href, .owner = {}};
    }
  }
};

/// One report on its way. It writes its answer as far as it knows, and begins anew when it has looked up what
/// was missing: with every level that is once.
struct Expansion : std::enable_shared_from_this<Expansion> {
  Expansion(const DavRequest& dav_request, std::vector<Wanted> asked)
      : request(dav_request),
        wanted(std::move(asked)),
        context{.user = request.caller.user, .item_bytes_max = request.limits.body_bytes_max, .now = wall_now()},
        minimal(prefers_minimal(request.http)) {}

  const DavRequest& request;
  const std::vector<Wanted> wanted;
  const PropertyContext context;
  const bool minimal;
  std::map<std::string, Target> known;  // by the URL as it is written
  std::vector<std::string> missing;
  std::string body;
  std::size_t responses = 0;

  Outcome begin() {
    known[request_href].path = request.path;
    return look_up(request_href);
  }

  Outcome look_up(const std::string& href) {
    Target& target = known.at(href);
    const DavPath& path = target.path;
    if (path.kind == DavPathKind::principal) {
      target.href = principal_href(path.resource.user);
      return ask_query(
          GetPrincipal{.caller = request.caller, .user = path.resource.user},
          [run = shared_from_this(), href](const PairReply& reply) { return run->with_reply(href, reply); });
    }
    if (path.kind == DavPathKind::resource) {
      const ListResources list{.caller = request.caller,
                               .path = path.resource,
                               .depth = 0,
                               .after = {},
                               .as_collection = path.slash,
                               .with_dead = true,
                               .with_locks = true};
      return ask_query(list, [run = shared_from_this(), href](const PairReply& reply) {
        return run->with_reply(href, reply);
      });
    }
    target.href = path.kind == DavPathKind::principals ? "/dav/principals/"
                  : path.kind == DavPathKind::homes    ? homes_href(path.resource.space)
                                                       : "/dav/";
    return go_on();
  }

  Outcome with_reply(const std::string& href, const PairReply& reply) {
    Target& target = known.at(href);
    const bool first = href == request_href;
    if (reply.code == Code::ok && target.path.kind == DavPathKind::principal) {
      auto principal = decode_groupware_reply<PrincipalInfo>(reply.payload);
      if (!principal) return plain_response(500, principal.error().text);
      target.principal = std::move(*principal);
    } else if (reply.code == Code::ok) {
      auto listing = decode_groupware_reply<Listing>(reply.payload);
      if (!listing) return plain_response(500, listing.error().text);
      target.href =
          resource_href(target.path.resource, std::holds_alternative<CollectionInfo>(listing->self));
      target.listing = std::move(*listing);
    } else if (!first && reply.code == Code::not_found) {
      target.refused = "404 Not Found";
    } else if (!first && reply.code == Code::forbidden && !is_stale_login(reply)) {
      target.refused = "403 Forbidden";
    } else {
      return refusal_response(reply, request);
    }
    return go_on();
  }

  Outcome go_on() {
    if (missing.empty()) {
      body = multistatus_begin();
      responses = 0;
      write(known.at(request_href), wanted);
      std::ranges::sort(missing);
      missing.erase(std::ranges::unique(missing).begin(), missing.end());
      if (known.size() + missing.size() > ExpandLimits::resources_max || is_too_large()) {
        return precondition_response(
            507, "D:number-of-matches-within-limits",
            "The properties lead to more than this server tells at once: ask for less.");
      }
    }
    if (missing.empty()) return multistatus_response(std::move(body));
    const std::string href = std::move(missing.back());
    missing.pop_back();
    Target& target = known[href];
    const auto reference = parse_reference(href, request.http.header("Host").value_or(""));
    if (!reference || reference->elsewhere || reference->path.kind == DavPathKind::unknown) {
      target.refused = "404 Not Found";
      return go_on();
    }
    target.path = reference->path;
    return look_up(href);
  }

  [[nodiscard]] bool is_too_large() const {
    return responses > ExpandLimits::responses_max || body.size() > request.limits.multistatus_bytes_max;
  }

  void write(const Target& target, const std::vector<Wanted>& properties) {
    ++responses;
    const Subject subject = target.subject();
    body.append("<D:response><D:href>");
    append_escaped(&body, subject.href);
    body.append("</D:href><D:propstat><D:prop>");
    std::string lacking;
    for (const auto& property : properties) {
      std::string value;
      if (!append_property(&value, property.name, subject, context)) {
        append_empty(&lacking, property.name);
      } else if (property.inner.empty()) {
        body.append(value);
      } else {
        write_expanded(property, value);
      }
      if (is_too_large()) break;
    }
    body.append("</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>");
    if (!lacking.empty() && !minimal) append_propstat(&body, lacking, "404 Not Found");
    body.append("</D:response>");
  }

  /// The property with a response in place of each URL that leads to a resource.
  void write_expanded(const Wanted& property, const std::string& value) {
    const auto element = parse_xml("<p" + std::string(xml_declarations) + ">" + value + "</p>");
    // What is kept may be deeper than a body may be, by the levels around it.
    if (!element || element->children.size() != 1 || element->children.front().children.empty()) {
      body.append(value);
      return;
    }
    const XmlElement& whole = element->children.front();
    const std::string close = append_open(&body, property.name);
    append_escaped(&body, whole.head);
    for (const auto& child : whole.children) {
      if (child.is(xmlns::dav, "href") && leads_somewhere(child.text)) {
        write_target(child.text, property.inner);
      } else {
        append_element(&body, child);
      }
      append_escaped(&body, child.tail);
      if (is_too_large()) break;
    }
    body.append(close);
  }

  void write_target(const std::string& href, const std::vector<Wanted>& properties) {
    const auto found = known.find(href);
    if (found == known.end()) {
      missing.push_back(href);
    } else if (found->second.refused.empty()) {
      write(found->second, properties);
    } else {
      write_refused(href, found->second.refused);
    }
  }

  void write_refused(std::string_view href, std::string_view status) {
    ++responses;
    body.append("<D:response><D:href>");
    append_escaped(&body, href);
    body.append("</D:href><D:status>HTTP/1.1 ").append(status).append("</D:status></D:response>");
  }

  /// A mail address is a URL, and no resource.
  static bool leads_somewhere(std::string_view href) {
    return href.starts_with('/') || href.starts_with("http");
  }

  static constexpr auto request_href = "";  // what the request itself is about
};

}  // namespace

Outcome report_expand_property(const DavRequest& request, XmlElement root) {
  const auto depth = request.http.header("Depth");
  if (depth && *depth != "0") return plain_response(400, "This report is asked with Depth 0.");
  if (request.path.kind == DavPathKind::unknown || request.path.kind == DavPathKind::well_known) {
    return plain_response(404, "There is nothing here: begin at /dav/.");
  }
  auto wanted = WantedReader().read(root, 0);
  if (!wanted) return plain_response(400, wanted.error().text);
  return std::make_shared<Expansion>(request, std::move(*wanted))->begin();
}

}  // namespace pollux
