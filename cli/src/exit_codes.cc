#include "exit_codes.h"

namespace pollux {

int exit_code(Code code) {
  switch (code) {
    case Code::ok:
      return Exit::ok;
    case Code::bad_config:
    case Code::forbidden:
      return Exit::bad_config;
    case Code::in_use:
      return Exit::in_use;
    case Code::damaged:
    case Code::unsupported:
      return Exit::damaged;
    case Code::io_error:
    case Code::disk_full:
    case Code::full:
      return Exit::storage;
    case Code::unreachable:
    case Code::not_primary:
    case Code::deadline_exceeded:
    case Code::busy:
      return Exit::unreachable;
    case Code::in_doubt:
      return Exit::in_doubt;
    default:
      return Exit::failed;
  }
}

}  // namespace pollux
