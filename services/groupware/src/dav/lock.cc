// LOCK and UNLOCK (RFC 4918, 9.10 and 9.11). Locks are kept by the pair, so that they outlive gateways and
// members.
#include <sodium.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "dav/errors.h"
#include "dav/live_properties.h"
#include "dav/methods.h"
#include "dav/preconditions.h"

namespace pollux {
namespace {

/// A random UUID (RFC 9562, 5.4).
std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  std::string hex = to_hex(bytes.data(), bytes.size());
  for (const std::size_t at : {8U, 13U, 18U, 23U}) hex.insert(at, "-");
  return "urn:uuid:" + hex;
}

/// The first timeout that can be read (RFC 4918, 10.7); the pair keeps it within its limit.
std::uint64_t read_timeout(const HttpRequest& http) {
  const auto list = http.header_list("Timeout");
  std::string_view rest = list ? std::string_view(*list) : std::string_view();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view one = trim_blanks(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (equal_header(one, "Infinite")) return GroupwareLimits::lock_timeout_s_max;
    constexpr std::string_view second = "Second-";
    if (one.size() <= second.size() || !equal_header(one.substr(0, second.size()), second)) continue;
    const std::string_view digits = one.substr(second.size());
    std::uint64_t value = 0;
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (last != digits.data() + digits.size()) continue;
    if (error == std::errc::result_out_of_range) return GroupwareLimits::lock_timeout_s_max;
    if (error == std::errc()) return std::min(value, GroupwareLimits::lock_timeout_s_max);
  }
  return GroupwareLimits::lock_timeout_s_default;
}

HttpResponse lock_response(const LockReply& reply, bool is_new, WallTime now) {
  HttpResponse response{.status = reply.created ? 201U : 200U,
                        .headers = "Content-Type: application/xml; charset=utf-8\r\n",
                        .body = {},
                        .length = {},
                        .close = false};
  if (is_new) response.add("Lock-Token", "<" + reply.lock.token + ">");
  response.body.append(xml_prolog).append("<D:prop").append(xml_declarations).append("><D:lockdiscovery>");
  append_active_locks(&response.body, {reply.lock}, now);
  response.body.append("</D:lockdiscovery></D:prop>\n");
  return response;
}

Outcome answer_lock(const DavRequest& request, bool is_new, const PairReply& reply) {
  if (reply.code != Code::ok) return refusal_response(reply, request);
  const auto locked = decode_groupware_reply<LockReply>(reply.payload);
  if (!locked) return plain_response(500, locked.error().text);
  // Told at the moment it was made: all of its time is left.
  const WallTime made{locked->lock.expires.us -
                      static_cast<std::int64_t>(locked->lock.timeout_s) * 1'000'000};
  return lock_response(*locked, is_new, made);
}

Outcome refresh(const DavRequest& request, Preconditions when) {
  if (when.lists.empty()) {
    return plain_response(
        400, "LOCK without a body refreshes a lock, and an If header says which one: If: (<TOKEN>)");
  }
  const RefreshLock again{.caller = request.caller,
                          .path = request.path.resource,
                          .when = std::move(when),
                          .timeout_s = read_timeout(request.http),
                          .as_collection = request.path.slash};
  return ask_change(again, [&request](const PairReply& reply) { return answer_lock(request, false, reply); });
}

/// What is in DAV:owner, with its own namespaces declared.
std::string owner_text(const XmlElement& info) {
  const XmlElement* owner = info.child(xmlns::dav, "owner");
  if (owner == nullptr) return {};
  std::string xml;
  append_escaped(&xml, owner->children.empty() ? owner->text : owner->head);
  for (const auto& child : owner->children) {
    append_element(&xml, child);
    append_escaped(&xml, child.tail);
  }
  return xml;
}

}  // namespace

Outcome handle_lock(const DavRequest& request) {
  auto when = read_preconditions(request.http);
  if (!when) return plain_response(400, when.error().text);
  const auto depth = request.http.header("Depth");
  if (depth && *depth != "0" && !equal_header(*depth, "infinity")) {
    return plain_response(400, "A lock's Depth is 0 or infinity.");
  }
  if (request.http.body.empty()) return refresh(request, std::move(*when));
  const auto info = parse_xml(request.http.body);
  if (!info) return plain_response(400, info.error().text);
  const XmlElement* scope = info->child(xmlns::dav, "lockscope");
  const XmlElement* type = info->child(xmlns::dav, "locktype");
  if (!info->is(xmlns::dav, "lockinfo") || scope == nullptr || type == nullptr) {
    return plain_response(400, "The body of LOCK is DAV:lockinfo with DAV:lockscope and DAV:locktype.");
  }
  const bool shared = scope->child(xmlns::dav, "shared") != nullptr;
  const bool exclusive = scope->child(xmlns::dav, "exclusive") != nullptr;
  if (type->child(xmlns::dav, "write") == nullptr || shared == exclusive) {
    return plain_response(422, "There are write locks, exclusive or shared, and no others.");
  }
  const LockResource lock{.caller = request.caller,
                          .path = request.path.resource,
                          .when = std::move(*when),
                          .token = new_token(),
                          .shared = shared,
                          .infinite = !depth || *depth != "0",
                          .owner_xml = owner_text(*info),
                          .timeout_s = read_timeout(request.http),
                          .as_collection = request.path.slash};
  return ask_change(lock, [&request](const PairReply& reply) { return answer_lock(request, true, reply); });
}

Outcome handle_unlock(const DavRequest& request) {
  auto when = read_preconditions(request.http);
  if (!when) return plain_response(400, when.error().text);
  const auto text = request.http.header("Lock-Token");
  if (!text || text->size() < 3 || text->front() != '<' || text->back() != '>') {
    return plain_response(400, "A Lock-Token header says which lock: Lock-Token: <TOKEN>");
  }
  const UnlockResource unlock{.caller = request.caller,
                              .path = request.path.resource,
                              .when = std::move(*when),
                              .token = std::string(text->substr(1, text->size() - 2))};
  return ask_change(unlock, [&request](const PairReply& reply) -> Outcome {
    if (reply.code != Code::ok) return refusal_response(reply, request);
    return HttpResponse{.status = 204, .headers = {}, .body = {}, .length = {}, .close = false};
  });
}

}  // namespace pollux
