// The only file that knows Boost.URL.
#include "dav/path.h"

#include <array>
#include <boost/url/encode.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/rfc/pchars.hpp>
#include <boost/url/url_view.hpp>
#include <optional>
#include <vector>

namespace pollux {
namespace {

namespace urls = boost::urls;

std::unexpected<Error> bad_target(std::string text) { return fail(Code::invalid_argument, std::move(text)); }

/// The decoded names of a path. Each is decoded by itself: an encoded slash makes no new level.
Result<std::vector<std::string>> split(std::string_view path, bool* slash) {
  std::vector<std::string> names;
  *slash = path.ends_with('/');
  path.remove_prefix(1);
  if (*slash && !path.empty()) path.remove_suffix(1);
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const auto encoded = urls::make_pct_string_view(urls::string_view(path.data(), end));
    if (!encoded) return bad_target("The path has a % that is not followed by two hexadecimal digits.");
    std::string name;
    encoded->decode({}, urls::string_token::assign_to(name));
    if (const auto good = check_resource_name(name); !good) return bad_target(good.error().text);
    names.push_back(std::move(name));
    path.remove_prefix(end);
    if (path == "/") return bad_target("A name in the path is empty.");
    if (!path.empty()) path.remove_prefix(1);
  }
  return names;
}

constexpr std::array<std::pair<std::string_view, DavSpace>, 3> spaces{
    {{"calendars", DavSpace::calendars}, {"contacts", DavSpace::contacts}, {"files", DavSpace::files}}};

std::optional<DavSpace> space_of(std::string_view name) {
  for (const auto& [text, space] : spaces) {
    if (text == name) return space;
  }
  return std::nullopt;
}

DavPath classify(std::vector<std::string> names, bool slash) {
  DavPath path{.kind = DavPathKind::unknown, .resource = {}, .slash = slash};
  const auto is = [&](std::size_t at, std::string_view word) {
    return names.size() > at && names[at] == word;
  };
  if (names.empty() || (is(0, "dav") && names.size() == 1)) {
    path.kind = DavPathKind::root;
  } else if (is(0, ".well-known") && (is(1, "caldav") || is(1, "carddav")) && names.size() == 2) {
    path.kind = DavPathKind::well_known;
  } else if (is(0, "dav") && is(1, "principals") && names.size() <= 3) {
    path.kind = names.size() == 2 ? DavPathKind::principals : DavPathKind::principal;
    if (names.size() == 3) path.resource.user = std::move(names[2]);
  } else if (const auto space = is(0, "dav") ? space_of(names[1]) : std::nullopt) {
    path.kind = names.size() == 2 ? DavPathKind::homes : DavPathKind::resource;
    path.resource.space = *space;
    if (names.size() > 2) {
      path.resource.user = std::move(names[2]);
      path.resource.names.assign(std::make_move_iterator(names.begin() + 3),
                                 std::make_move_iterator(names.end()));
    }
  }
  return path;
}

void append_segment(std::string* href, std::string_view name) {
  urls::encode(urls::string_view(name.data(), name.size()), urls::pchars, {},
               urls::string_token::append_to(*href));
}

Result<DavPath> classify_encoded(std::string_view encoded) {
  bool slash = false;
  if (encoded.empty()) return classify({}, true);
  auto names = split(encoded, &slash);
  if (!names) return std::unexpected(names.error());
  if (names->size() > 3 + GroupwareLimits::path_depth_max) return bad_target("The path has too many levels.");
  return classify(std::move(*names), slash);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Host names without regard to case, and without the port that the scheme has anyway.
bool same_authority(std::string_view scheme, std::string_view a, std::string_view b) {
  const auto plain = [&](std::string_view text) {
    const std::string_view port = scheme == "https" ? ":443" : ":80";
    if (text.ends_with(port)) text.remove_suffix(port.size());
    std::string out;
    for (const char c : text) out.push_back(lower(c));
    return out;
  };
  return plain(a) == plain(b);
}

}  // namespace

Result<DavPath> parse_target(std::string_view target) {
  const urls::string_view text(target.data(), target.size());
  const auto url = target.starts_with('/') ? urls::parse_origin_form(text) : urls::parse_absolute_uri(text);
  if (!url) {
    return bad_target(
        "The request's URL is malformed: percent-encode every byte that is not a plain character.");
  }
  const auto encoded = url->encoded_path();
  return classify_encoded({encoded.data(), encoded.size()});
}

Result<Reference> parse_reference(std::string_view text, std::string_view host) {
  std::string_view rest = text;
  rest = rest.substr(0, rest.find('#'));
  const auto path_of = [](std::string_view url) -> Result<Reference> {
    url = url.substr(0, url.find('?'));
    auto path = classify_encoded(url);
    if (!path) return std::unexpected(path.error());
    return Reference{.path = std::move(*path), .elsewhere = false};
  };
  if (rest.starts_with('/') && !rest.starts_with("//")) return path_of(rest);
  const std::size_t colon = rest.find("://");
  if (colon == std::string_view::npos) {
    return bad_target("It is neither a path that begins with / nor a URL with http or https.");
  }
  std::string scheme;
  for (const char c : rest.substr(0, colon)) scheme.push_back(lower(c));
  rest.remove_prefix(colon + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  rest.remove_prefix(authority.size());
  // A user name in it has no meaning here, and the password would be a secret in a log.
  const std::size_t at = authority.rfind('@');
  const std::string_view server = at == std::string_view::npos ? authority : authority.substr(at + 1);
  const bool known = scheme == "http" || scheme == "https";
  if (!known || (!host.empty() && !same_authority(scheme, server, host))) {
    return Reference{.path = {}, .elsewhere = true};
  }
  return path_of(rest);
}

std::string_view space_name(DavSpace space) {
  for (const auto& [text, known] : spaces) {
    if (known == space) return text;
  }
  return {};
}

std::string principal_href(std::string_view user) { return child_href("/dav/principals/", user, true); }

std::string homes_href(DavSpace space) { return "/dav/" + std::string(space_name(space)) + "/"; }

std::string home_href(DavSpace space, std::string_view user) {
  return child_href(homes_href(space), user, true);
}

std::string resource_href(const ResourcePath& path, bool collection) {
  std::string href = home_href(path.space, path.user);
  for (std::size_t at = 0; at < path.names.size(); ++at) {
    append_segment(&href, path.names[at]);
    if (collection || at + 1 < path.names.size()) href.push_back('/');
  }
  return href;
}

std::string child_href(std::string_view parent, std::string_view name, bool collection) {
  std::string href(parent);
  append_segment(&href, name);
  if (collection) href.push_back('/');
  return href;
}

}  // namespace pollux
