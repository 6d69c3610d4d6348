#include "commands.h"
#include "exit_codes.h"
#include "terminal.h"

namespace pollux {

int run_version() {
  print("pollux " POLLUX_VERSION);
  return Exit::ok;
}

}  // namespace pollux
