// `pollux share add|remove|list`: a collection that another user may read, or read and write.
#include "commands.h"
#include "exit_codes.h"
#include "groupware_client.h"
#include "terminal.h"

namespace pollux {

namespace {

struct Shared {
  GroupwareClient client;
  ResourcePath path;
};

std::unexpected<Error> no_collection(const std::string& text) {
  return fail(Code::invalid_argument,
              "\"" + printable(text) +
                  "\" names no collection: it is calendars/USER/NAME, contacts/USER/NAME or "
                  "files/USER/NAME, or the URL of one");
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// A URL's segment as it was before it was percent-encoded; none if it is malformed.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out.push_back(text[at]);
      continue;
    }
    if (text.size() - at < 3 || digit(text[at + 1]) < 0 || digit(text[at + 2]) < 0) return std::nullopt;
    out.push_back(static_cast<char>(digit(text[at + 1]) * 16 + digit(text[at + 2])));
    at += 2;
  }
  return out;
}

Result<Shared> open(const Globals& globals, const ShareOptions& options) {
  const Result<ResourcePath> path = parse_shared_path(options.collection);
  if (!path) return std::unexpected(path.error());
  const Result<Located> located = locate_running(globals);
  if (!located) return std::unexpected(located.error());
  Result<GroupwareClient> client = GroupwareClient::open(located->config, options.pair);
  if (!client) return std::unexpected(client.error());
  return Shared{std::move(*client), *path};
}

}  // namespace

Result<ResourcePath> parse_shared_path(const std::string& text) {
  std::string_view rest = text;
  if (const std::size_t dav = rest.find("/dav/"); dav != std::string_view::npos) rest.remove_prefix(dav + 5);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  std::vector<std::string> parts;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const auto part = decoded(rest.substr(0, end));
    if (!part || part->empty()) return no_collection(text);
    parts.push_back(*part);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (parts.size() != 3) return no_collection(text);
  ResourcePath path{.space = DavSpace::calendars, .user = parts[1], .names = {parts[2]}};
  if (parts[0] == "contacts") {
    path.space = DavSpace::contacts;
  } else if (parts[0] == "files") {
    path.space = DavSpace::files;
  } else if (parts[0] != "calendars") {
    return no_collection(text);
  }
  return path;
}

int run_share_add(const Globals& globals, const ShareOptions& options) {
  Result<Shared> shared = open(globals, options);
  if (!shared) return fail_with(shared.error());
  const Caller owner{shared->path.user, 0};
  // A user of an older version may have no home there yet.
  if (const auto homes = shared->client.change<Stored>(MakeHomes{owner}); !homes)
    return fail_with(homes.error());
  const Result<Stored> stored = shared->client.change<Stored>(
      ShareCollection{owner, shared->path, options.user, options.write ? Access::write : Access::read});
  if (!stored) return fail_with(stored.error());
  print(options.user + (options.write ? " may read and write " : " may read ") + options.collection +
        ", and finds it in its own home");
  return Exit::ok;
}

int run_share_remove(const Globals& globals, const ShareOptions& options) {
  Result<Shared> shared = open(globals, options);
  if (!shared) return fail_with(shared.error());
  const Result<Stored> stored = shared->client.change<Stored>(
      ShareCollection{{shared->path.user, 0}, shared->path, options.user, Access::none});
  if (!stored) return fail_with(stored.error());
  print(options.collection + " is not shared with " + options.user + " any more");
  return Exit::ok;
}

int run_share_list(const Globals& globals, const ShareOptions& options) {
  Result<Shared> shared = open(globals, options);
  if (!shared) return fail_with(shared.error());
  const Result<ShareList> list =
      shared->client.ask<ShareList>(ListShares{{shared->path.user, 0}, shared->path});
  if (!list) return fail_with(list.error());
  for (const Share& share : list->shares) {
    print(share.user + "\t" + (share.access == Access::write ? "read and write" : "read"));
  }
  return Exit::ok;
}

}  // namespace pollux
