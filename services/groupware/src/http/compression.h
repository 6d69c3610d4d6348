// gzip of answers (RFC 9110, 8.4 and 12.5.3): listings and reports get some ten times smaller.
//
// An answer with an ETag is never compressed. A compressed item would be another representation and need
// another strong ETag, and a client that sends it back with If-Match must meet the item as it is stored: so
// an item has one ETag, and one form.
#pragma once

#include "http/limits.h"
#include "http/message.h"

namespace pollux {

/// The client takes gzip, and does not like the plain form better.
bool accepts_gzip(const HttpRequest& request);
/// Text or XML, large enough, without an ETag, not encoded yet, and nobody has said `no-transform`.
bool is_compressible(const HttpResponse& response, const GatewayLimits& limits);
/// Makes the body smaller and says so in the headers. If it would not get smaller, or there is no memory, the
/// answer stays as it is.
void compress(HttpResponse& response);

}  // namespace pollux
