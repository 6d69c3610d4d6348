// Answers to what went wrong: DAV error bodies (RFC 4918, 16) and the pair's refusals.
#pragma once

#include <string_view>

#include "http/message.h"
#include "http/outcome.h"
#include "http/pair_client.h"

namespace pollux {

/// An error body with one precondition element, e.g. "C:no-uid-conflict", and a sentence for a person.
/// `inside` is XML that goes into the element.
HttpResponse precondition_response(unsigned status, std::string_view element, std::string_view sentence,
                                   std::string_view inside = {});
/// The answer to a reply whose code is not ok. `parent`: the collection that items named in the reply are in
/// (for no-uid-conflict); the one over the request's own path if it is not given.
HttpResponse refusal_response(const PairReply& reply, const DavRequest& request);
HttpResponse refusal_response(const PairReply& reply, const DavRequest& request, const ResourcePath& parent);
/// 413; of an item with max-resource-size (RFC 4791, 5.3.2.1; RFC 6352, 6.3.2.1).
HttpResponse too_large_response(const HttpRequest& request, std::string_view sentence);
/// 503 with Retry-After.
HttpResponse unavailable_response(std::string_view sentence, std::uint32_t retry_after_s);
/// The reply says that the login must be verified again.
bool is_stale_login(const PairReply& reply);
/// The reply says that the user's homes must be made first.
bool lacks_homes(const PairReply& reply);

}  // namespace pollux
