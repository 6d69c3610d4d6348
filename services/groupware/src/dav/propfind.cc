// PROPFIND (RFC 4918, 9.1), of any depth.
#include <deque>
#include <memory>

#include "dav/errors.h"
#include "dav/methods.h"
#include "dav/properties.h"

namespace pollux {
namespace {

enum class Depth : std::uint8_t { zero, one, infinity };

Result<Depth> read_depth(const HttpRequest& http) {
  const auto text = http.header("Depth");
  if (!text || equal_header(*text, "infinity")) return Depth::infinity;
  if (*text == "0") return Depth::zero;
  if (*text == "1") return Depth::one;
  return fail(Code::malformed, "Depth is 0, 1 or infinity.");
}

HttpResponse refuse_infinity(const DavRequest& request) {
  return precondition_response(403, "D:propfind-finite-depth",
                               "With Depth infinity, which is what a missing header means, at most " +
                                   std::to_string(request.limits.infinite_resources_max) +
                                   " resources are listed, and there are more: ask with Depth 0 or 1.");
}

/// One PROPFIND on its way: pages of a large collection are added one after the other, and with infinite
/// depth collection after collection.
struct Run : std::enable_shared_from_this<Run> {
  Run(const DavRequest& dav_request, PropfindQuestion asked, Depth how_deep)
      : request(dav_request),
        question(std::move(asked)),
        depth(how_deep),
        context{.user = request.caller.user, .item_bytes_max = request.limits.body_bytes_max, .now = wall_now()},
        body(multistatus_begin()) {}

  /// A collection that is still to be listed; the first one is told itself, too.
  struct Open {
    ResourcePath path;
    bool first = false;
  };

  const DavRequest& request;
  const PropfindQuestion question;
  const Depth depth;
  const PropertyContext context;
  std::string body;
  bool began = false;
  bool without_root = false;  ///< RFC 8144, 4
  std::size_t resources = 0;
  std::deque<Open> open;

  void add(const Subject& subject) {
    append_response(&body, subject, question, context);
    ++resources;
  }

  HttpResponse finish() {
    HttpResponse response = multistatus_response(std::move(body));
    if (question.minimal) response.add("Preference-Applied", "return=minimal");
    if (without_root) response.add("Preference-Applied", "depth-noroot");
    return response;
  }

  /// The resource that was asked for.
  void add_root(const Subject& subject) {
    if (!without_root) add(subject);
  }

  // --- places that are not stored: what is in them follows from who asks ---

  Outcome ask_principal() {
    const bool named = request.path.kind == DavPathKind::principal;
    const GetPrincipal get{.caller = request.caller,
                           .user = named ? request.path.resource.user : request.caller.user};
    return ask_query(
        get, [run = shared_from_this()](const PairReply& reply) { return run->with_principal(reply); });
  }

  void add_homes(DavSpace space) {
    add({.kind = SubjectKind::homes, .href = homes_href(space), .space = space, .owner = {}});
  }

  Outcome with_principal(const PairReply& reply) {
    if (reply.code != Code::ok) return refusal_response(reply, request);
    const auto principal = decode_groupware_reply<PrincipalInfo>(reply.payload);
    if (!principal) return plain_response(500, principal.error().text);
    const Subject own{.kind = SubjectKind::principal,
                      .href = principal_href(principal->user),
                      .principal = &*principal,
                      .owner = {}};
    switch (request.path.kind) {
      case DavPathKind::root:
        // Clients ask "/" who they are; it has the path it was asked by.
        add_root({.kind = SubjectKind::root,
                  .href = request.http.target.starts_with("/dav") ? "/dav/" : "/",
                  .owner = {}});
        if (depth == Depth::one) {
          add({.kind = SubjectKind::principals, .href = "/dav/principals/", .owner = {}});
          for (const auto space : {DavSpace::calendars, DavSpace::contacts, DavSpace::files})
            add_homes(space);
        }
        return finish();
      case DavPathKind::principals:
        add_root({.kind = SubjectKind::principals, .href = "/dav/principals/", .owner = {}});
        if (depth == Depth::one) add(own);
        return finish();
      default:
        add_root(own);
        return finish();
    }
  }

  // --- stored resources ---

  Outcome begin() {
    const bool stored = request.path.kind == DavPathKind::resource;
    open.push_back(
        {stored ? request.path.resource : ResourcePath{request.path.resource.space, request.caller.user, {}},
         true});
    return ask_page({});
  }

  Outcome ask_page(std::string after) {
    const bool listed = depth != Depth::zero && request.path.kind == DavPathKind::resource;
    const ListResources list{.caller = request.caller,
                             .path = open.front().path,
                             .depth = listed ? 1U : 0U,
                             .after = std::move(after),
                             .as_collection = request.path.slash || !open.front().first,
                             .with_dead = question.wants_dead(),
                             .with_locks = question.wants_locks()};
    return ask_query(list,
                     [run = shared_from_this()](const PairReply& reply) { return run->with_page(reply); });
  }

  Outcome with_page(const PairReply& reply) {
    const Open at = open.front();
    if (reply.code != Code::ok) {
      // Below the first, it may have been deleted in between: then there is nothing to list.
      return at.first ? Outcome(refusal_response(reply, request)) : next();
    }
    const auto page = decode_groupware_reply<Listing>(reply.payload);
    if (!page) return plain_response(500, page.error().text);
    const bool collection = std::holds_alternative<CollectionInfo>(page->self);
    const std::string href = resource_href(at.path, collection);
    if (!began && request.path.kind == DavPathKind::homes) {
      if (!without_root) add_homes(at.path.space);
      if (depth == Depth::zero) return finish();
    }
    // The home below "homes" is not what was asked for.
    if (!began) {
      const Subject self = subject_of(page->self, href, at.path.space, page->owner, page->access);
      if (request.path.kind == DavPathKind::homes) {
        add(self);
      } else {
        add_root(self);
      }
    }
    began = true;
    for (const auto& child : page->children) {
      const auto* inner = std::get_if<CollectionInfo>(&child);
      const std::string& name = inner != nullptr ? inner->name : std::get<ItemInfo>(child).name;
      add(subject_of(child, child_href(href, name, inner != nullptr), at.path.space, page->owner,
                     page->access));
      if (inner == nullptr || depth != Depth::infinity) continue;
      Open deeper{at.path, false};
      deeper.path.names.push_back(name);
      open.push_back(std::move(deeper));
    }
    if (depth == Depth::infinity && resources > request.limits.infinite_resources_max) {
      return refuse_infinity(request);
    }
    if (body.size() > request.limits.multistatus_bytes_max) {
      return precondition_response(
          507, "D:number-of-matches-within-limits",
          "The answer would be larger than this server gives: ask for fewer properties.");
    }
    return page->more ? ask_page(page->last) : next();
  }

  Outcome next() {
    open.pop_front();
    if (open.empty()) return finish();
    return ask_page({});
  }
};

}  // namespace

Outcome handle_propfind(const DavRequest& request) {
  const auto depth = read_depth(request.http);
  if (!depth) return plain_response(400, depth.error().text);
  auto question = parse_propfind(request.http.body);
  if (!question) return plain_response(400, question.error().text);
  question->minimal = prefers_minimal(request.http);
  if (request.path.kind == DavPathKind::unknown || request.path.kind == DavPathKind::well_known) {
    return plain_response(404, "There is nothing here: begin at /dav/.");
  }
  const bool stored = request.path.kind == DavPathKind::resource;
  // Everybody's collections are below these: nobody may see them all.
  if (!stored && *depth == Depth::infinity) {
    return precondition_response(403, "D:propfind-finite-depth",
                                 "Here Depth is 0 or 1; without that header it is infinity.");
  }
  const auto run = std::make_shared<Run>(request, std::move(*question), *depth);
  run->without_root = *depth != Depth::zero && prefers_no_root(request.http);
  return stored || request.path.kind == DavPathKind::homes ? run->begin() : run->ask_principal();
}

}  // namespace pollux
