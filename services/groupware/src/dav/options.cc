// OPTIONS (RFC 9110, 9.3.7; RFC 4918, 10.1; RFC 4791, 5.1).
#include "dav/methods.h"

namespace pollux {

Outcome handle_options(const DavRequest& request) {
  HttpResponse response{.status = 200, .headers = {}, .body = {}, .length = {}, .close = false};
  response.add("Allow", allowed_methods(request.path));
  response.add("DAV", "1, calendar-access");
  return response;
}

}  // namespace pollux
