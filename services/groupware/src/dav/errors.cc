#include "dav/errors.h"

#include <algorithm>

#include "dav/path.h"
#include "dav/xml.h"

namespace pollux {
namespace {

constexpr std::uint32_t retry_after_s_default = 2;

HttpResponse service_refusal(Code code, const Refusal& refusal, std::string_view parent) {
  switch (refusal.reason) {
    case RefusalReason::uid_conflict: {
      std::string href = "<D:href>";
      append_escaped(&href, child_href(parent, refusal.name, false));
      return precondition_response(409, "C:no-uid-conflict", refusal.text, href + "</D:href>");
    }
    case RefusalReason::unsupported_component:
      return precondition_response(403, "C:supported-calendar-component", refusal.text);
    case RefusalReason::is_collection:
      return plain_response(405, refusal.text).add("Allow", "OPTIONS, GET, HEAD, PROPFIND, DELETE");
    case RefusalReason::not_yours:
      return precondition_response(403, "D:need-privileges", refusal.text);
    default:
      break;
  }
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

HttpResponse unavailable_response(std::string_view sentence, std::uint32_t retry_after_s) {
  return std::move(plain_response(503, sentence).add("Retry-After", std::to_string(retry_after_s)));
}

bool is_stale_login(const PairReply& reply) {
  if (reply.code != Code::forbidden) return false;
  const auto refusal = decode_groupware_reply<Refusal>(reply.payload);
  return refusal && refusal->reason == RefusalReason::stale_credentials;
}

HttpResponse refusal_response(const PairReply& reply, std::string_view parent) {
  switch (reply.code) {
    case Code::not_found:
    case Code::already_exists:
    case Code::precondition_failed:
    case Code::invalid_argument:
    case Code::insufficient:
    case Code::forbidden:
    case Code::conflict: {
      const auto refusal = decode_groupware_reply<Refusal>(reply.payload);
      return service_refusal(reply.code, refusal.value_or(Refusal{}), parent);
    }
    case Code::too_large:
      return plain_response(413, "It is larger than one record of the pair may be.");
    case Code::full:
      return precondition_response(507, "D:quota-not-exceeded",
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
