// OPTIONS (RFC 9110, 9.3.7; RFC 4918, 10.1 and 18; RFC 4791, 5.1; RFC 5689, 3.1; RFC 3744, 7.2).
#include "dav/methods.h"

namespace pollux {

Outcome handle_options(const DavRequest& request) {
  HttpResponse response{.status = 200, .headers = {}, .body = {}, .length = {}, .close = false};
  response.add("Allow", allowed_methods(request.path));
  response.add("DAV", "1, 2, 3, calendar-access, addressbook, extended-mkcol");
  response.add("MS-Author-Via", "DAV");  // what Microsoft's clients look for
  return response;
}

}  // namespace pollux
