// PROPFIND (RFC 4918, 9.1) with Depth 0 and 1.
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

HttpResponse refuse_infinity() {
  return precondition_response(
      403, "D:propfind-finite-depth",
      "A collection is listed with Depth 0 or 1; without that header Depth is infinity.");
}

/// One PROPFIND on its way: pages of a large collection are added one after the other.
struct Run : std::enable_shared_from_this<Run> {
  Run(const DavRequest& dav_request, PropfindQuestion asked, Depth how_deep)
      : request(dav_request),
        question(std::move(asked)),
        depth(how_deep),
        context{.user = request.caller.user, .item_bytes_max = request.limits.body_bytes_max} {
    body.append(xml_prolog).append("<D:multistatus").append(xml_declarations).append(">\n");
  }

  const DavRequest& request;
  const PropfindQuestion question;
  const Depth depth;
  const PropertyContext context;
  std::string body;
  bool began = false;

  void add(const Subject& subject) { append_response(&body, subject, question, context); }

  HttpResponse finish() {
    body.append("</D:multistatus>\n");
    return {.status = 207,
            .headers = "Content-Type: application/xml; charset=utf-8\r\n",
            .body = std::move(body),
            .length = {},
            .close = false};
  }

  // --- places that are not stored: what is in them follows from who asks ---

  Outcome ask_principal() {
    const bool named = request.path.kind == DavPathKind::principal;
    const GetPrincipal get{.caller = request.caller,
                           .user = named ? request.path.resource.user : request.caller.user};
    return ask_query(
        get, [run = shared_from_this()](const PairReply& reply) { return run->with_principal(reply); });
  }

  Outcome with_principal(const PairReply& reply) {
    if (reply.code != Code::ok) return refusal_response(reply, {});
    const auto principal = decode_groupware_reply<PrincipalInfo>(reply.payload);
    if (!principal) return plain_response(500, principal.error().text);
    const Subject own{
        .kind = SubjectKind::principal, .href = principal_href(principal->user), .principal = &*principal};
    switch (request.path.kind) {
      case DavPathKind::root:
        // Clients ask "/" who they are; it has the path it was asked by.
        add({.kind = SubjectKind::root, .href = request.http.target.starts_with("/dav") ? "/dav/" : "/"});
        if (depth == Depth::one) {
          add({.kind = SubjectKind::principals, .href = "/dav/principals/"});
          add({.kind = SubjectKind::homes, .href = "/dav/calendars/"});
        }
        return finish();
      case DavPathKind::principals:
        add({.kind = SubjectKind::principals, .href = "/dav/principals/"});
        if (depth == Depth::one) add(own);
        return finish();
      default:
        add(own);
        return finish();
    }
  }

  // --- stored resources ---

  Outcome ask_page(std::string after) {
    const ResourcePath path = request.path.kind == DavPathKind::resource
                                  ? request.path.resource
                                  : ResourcePath{DavSpace::calendars, request.caller.user, {}};
    const ListResources list{
        .caller = request.caller,
        .path = path,
        .depth = depth == Depth::one && request.path.kind == DavPathKind::resource ? 1U : 0U,
        .after = std::move(after),
        .as_collection = request.path.slash};
    return ask_query(list, [run = shared_from_this(), path](const PairReply& reply) {
      return run->with_page(path, reply);
    });
  }

  Outcome with_page(const ResourcePath& path, const PairReply& reply) {
    if (reply.code != Code::ok) return refusal_response(reply, {});
    const auto page = decode_groupware_reply<Listing>(reply.payload);
    if (!page) return plain_response(500, page.error().text);
    const bool collection = std::holds_alternative<CollectionInfo>(page->self);
    if (collection && depth == Depth::infinity) return refuse_infinity();
    const std::string href = resource_href(path, collection);
    if (!began && request.path.kind == DavPathKind::homes) {
      add({.kind = SubjectKind::homes, .href = "/dav/calendars/"});
      if (depth == Depth::zero) return finish();
    }
    if (!began) add(subject_of(page->self, href));
    began = true;
    for (const auto& child : page->children) {
      const auto* inner = std::get_if<CollectionInfo>(&child);
      const std::string& name = inner != nullptr ? inner->name : std::get<ItemInfo>(child).name;
      add(subject_of(child, child_href(href, name, inner != nullptr)));
    }
    if (body.size() > request.limits.multistatus_bytes_max) {
      return precondition_response(
          507, "D:number-of-matches-within-limits",
          "The answer would be larger than this server gives: ask for fewer properties.");
    }
    return page->more ? ask_page(page->last) : Outcome(finish());
  }
};

}  // namespace

Outcome handle_propfind(const DavRequest& request) {
  const auto depth = read_depth(request.http);
  if (!depth) return plain_response(400, depth.error().text);
  auto question = parse_propfind(request.http.body);
  if (!question) return plain_response(400, question.error().text);
  if (request.path.kind == DavPathKind::unknown || request.path.kind == DavPathKind::well_known) {
    return plain_response(404, "There is nothing here: begin at /dav/.");
  }
  if (request.path.kind != DavPathKind::resource && *depth == Depth::infinity) return refuse_infinity();
  const auto run = std::make_shared<Run>(request, std::move(*question), *depth);
  const bool stored = request.path.kind == DavPathKind::resource || request.path.kind == DavPathKind::homes;
  return stored ? run->ask_page({}) : run->ask_principal();
}

}  // namespace pollux
