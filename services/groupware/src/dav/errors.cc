#include "dav/errors.h"

#include <algorithm>

#include "dav/path.h"
#include "dav/properties.h"
#include "dav/xml.h"

namespace pollux {
namespace {

constexpr std::uint32_t retry_after_s_default = 2;

std::string hrefs_of(const Refusal& refusal) {
  std::string hrefs;
  for (const auto& path : refusal.paths) {
    hrefs.append("<D:href>");
    append_escaped(&hrefs, resource_href(path, false));
    hrefs.append("</D:href>");
  }
  return hrefs;
}

/// RFC 4918, 9.10.3 and 9.10.9: which locks inside of the collection are in the way of a deeper one.
HttpResponse conflict_response(const DavRequest& request, const Refusal& refusal) {
  std::string body = multistatus_begin();
  const auto part = [&](const ResourcePath& path, std::string_view status, std::string_view error) {
    body.append("<D:response><D:href>");
    append_escaped(&body, resource_href(path, false));
    body.append("</D:href><D:status>HTTP/1.1 ").append(status).append("</D:status>").append(error);
    body.append("</D:response>\n");
  };
  for (const auto& path : refusal.paths) {
    part(path, "423 Locked", "<D:error><D:no-conflicting-lock/></D:error>");
  }
  part(request.path.resource, "424 Failed Dependency", {});
  return multistatus_response(std::move(body));
}

/// RFC 3744, 7.1.1: what the caller lacks, and where; empty for what is about two resources.
std::string needed_privilege(const DavRequest& request) {
  const std::string_view method = request.http.method;
  if (method == "COPY" || method == "MOVE") return {};
  const bool reads = method == "GET" || method == "HEAD" || method == "PROPFIND" || method == "REPORT";
  std::string resource = "<D:resource><D:href>";
  append_escaped(&resource, resource_href(request.path.resource, request.path.slash));
  resource.append("</D:href><D:privilege><D:")
      .append(reads                ? "read"
              : method == "UNLOCK" ? "unlock"
                                   : "write");
  return resource.append("/></D:privilege></D:resource>");
}

bool is_below(const ResourcePath& path, const ResourcePath& collection) {
  return path.space == collection.space && path.user == collection.user &&
         path.names.size() > collection.names.size() &&
         std::equal(collection.names.begin(), collection.names.end(), path.names.begin());
}

std::string_view unsupported_element(const ResourcePath& parent) {
  return parent.space == DavSpace::contacts ? "CARD:supported-address-data"
                                            : "C:supported-calendar-component";
}

/// Those refusals that have an element of their own.
std::optional<HttpResponse> named_refusal(const Refusal& refusal, const DavRequest& request,
                                          const ResourcePath& parent) {
  const bool cards = parent.space == DavSpace::contacts;
  switch (refusal.reason) {
    case RefusalReason::uid_conflict: {
      std::string href = "<D:href>";
      append_escaped(&href, child_href(resource_href(parent, true), refusal.name, false));
      return precondition_response(409, cards ? "CARD:no-uid-conflict" : "C:no-uid-conflict", refusal.text,
                                   href + "</D:href>");
    }
    case RefusalReason::unsupported_component:
      return precondition_response(403, unsupported_element(parent), refusal.text);
    case RefusalReason::not_a_calendar_item:
      return precondition_response(403, cards ? "CARD:valid-address-data" : "C:valid-calendar-data",
                                   refusal.text);
    case RefusalReason::is_collection:
      return std::move(
          plain_response(405, refusal.text).add("Allow", "OPTIONS, GET, HEAD, PROPFIND, DELETE"));
    case RefusalReason::not_yours:
    case RefusalReason::read_only:
      return precondition_response(403, "D:need-privileges", refusal.text, needed_privilege(request));
    case RefusalReason::locked:
      return precondition_response(423, "D:lock-token-submitted", refusal.text, hrefs_of(refusal));
    case RefusalReason::lock_conflict:
      if (std::ranges::all_of(refusal.paths,
                              [&](const auto& path) { return is_below(path, request.path.resource); })) {
        return conflict_response(request, refusal);
      }
      return precondition_response(423, "D:no-conflicting-lock", refusal.text, hrefs_of(refusal));
    case RefusalReason::no_such_lock:
      return precondition_response(request.http.method == "UNLOCK" ? 409 : 412,
                                   "D:lock-token-matches-request-uri", refusal.text);
    case RefusalReason::quota:
      return precondition_response(507, "D:quota-not-exceeded", refusal.text);
    default:
      return std::nullopt;
  }
}

HttpResponse service_refusal(Code code, const Refusal& refusal, const DavRequest& request,
                             const ResourcePath& parent) {
  if (auto named = named_refusal(refusal, request, parent)) return std::move(*named);
  switch (code) {
    case Code::not_found:
      return plain_response(404, refusal.text);
    case Code::precondition_failed:
      return plain_response(412, refusal.text);
    case Code::invalid_argument:
      return plain_response(400, refusal.text);
    case Code::conflict:
    case Code::already_exists:
      return plain_response(409, refusal.text);
    case Code::insufficient:
      return plain_response(507, refusal.text);
    default:
      return plain_response(403, refusal.text);
  }
}

bool has_reason(const PairReply& reply, Code code, RefusalReason reason) {
  if (reply.code != code) return false;
  const auto refusal = decode_groupware_reply<Refusal>(reply.payload);
  return refusal && refusal->reason == reason;
}

}  // namespace

HttpResponse precondition_response(unsigned status, std::string_view element, std::string_view sentence,
                                   std::string_view inside) {
  HttpResponse response{.status = status,
                        .headers = "Content-Type: application/xml; charset=utf-8\r\n",
                        .body = {},
                        .length = {},
                        .close = false};
  std::string& body = response.body;
  body.append(xml_prolog).append("<D:error").append(xml_declarations).append(">\n  <").append(element);
  if (inside.empty()) {
    body.append("/>");
  } else {
    body.append(">").append(inside).append("</").append(element).append(">");
  }
  body.append("\n  <P:message xmlns:P=\"urn:pollux:groupware\">");
  append_escaped(&body, sentence);
  body.append("</P:message>\n</D:error>\n");
  return response;
}

HttpResponse too_large_response(const HttpRequest& request, std::string_view sentence) {
  const auto is_in = [&](DavSpace space) { return request.target.starts_with(homes_href(space)); };
  if (request.method == "PUT" && is_in(DavSpace::calendars))
    return precondition_response(413, "C:max-resource-size", sentence);
  if (request.method == "PUT" && is_in(DavSpace::contacts))
    return precondition_response(413, "CARD:max-resource-size", sentence);
  return plain_response(413, sentence);
}

HttpResponse unavailable_response(std::string_view sentence, std::uint32_t retry_after_s) {
  return std::move(plain_response(503, sentence).add("Retry-After", std::to_string(retry_after_s)));
}

bool is_stale_login(const PairReply& reply) {
  return has_reason(reply, Code::forbidden, RefusalReason::stale_credentials);
}

bool lacks_homes(const PairReply& reply) {
  return has_reason(reply, Code::conflict, RefusalReason::homes_missing);
}

HttpResponse refusal_response(const PairReply& reply, const DavRequest& request) {
  ResourcePath parent = request.path.resource;
  if (!parent.names.empty()) parent.names.pop_back();
  return refusal_response(reply, request, parent);
}

HttpResponse refusal_response(const PairReply& reply, const DavRequest& request, const ResourcePath& parent) {
  switch (reply.code) {
    case Code::not_found:
    case Code::already_exists:
    case Code::precondition_failed:
    case Code::invalid_argument:
    case Code::insufficient:
    case Code::forbidden:
    case Code::conflict: {
      const auto refusal = decode_groupware_reply<Refusal>(reply.payload);
      return service_refusal(reply.code, refusal.value_or(Refusal{}), request, parent);
    }
    case Code::too_large:
      return too_large_response(request.http, "It is larger than one record of the pair may be.");
    case Code::full:
      return precondition_response(
          507, "D:quota-not-exceeded",
          "The disk is full: reading goes on, and deleting as long as there is room for it.");
    case Code::quarantined:
      return plain_response(500,
                            "This very request stopped a member of the pair before, and is not tried again.");
    case Code::aborted:
      return plain_response(500, "The request was given up and nothing was changed: " + reply.payload);
    case Code::in_doubt:
    case Code::session_expired:
    case Code::sync_id_too_old:
      return unavailable_response(
          "It is not known yet whether this was done: look at the resource and its ETag before you repeat "
          "it.",
          retry_after_s_default);
    default: {
      const std::uint32_t wait = std::max(retry_after_s_default, (reply.retry_after_ms + 999) / 1000);
      return unavailable_response("The pair can't be reached just now, and nothing was changed: try again.",
                                  wait);
    }
  }
}

}  // namespace pollux
