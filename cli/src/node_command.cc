// `pollux node`: supervises, for a service manager.
#include "commands.h"
#include "exit_codes.h"
#include "pollux/services/node.h"
#include "terminal.h"

namespace pollux {

int run_node_command(const Globals& globals) {
  Result<Located> located = locate(globals);
  if (!located) return fail_with(located.error());
  if (Result<void> prepared = prepare_data_directory(located->config); !prepared)
    return fail_with(prepared.error());
  NodeOptions options;
  options.command = {program_path()};
  options.command.insert(options.command.end(), located->arguments.begin(), located->arguments.end());
  options.say = [](const std::string& line) { complain(line); };
  options.ready = [] { complain("everything serves"); };
  return run_node(located->config, options);
}

}  // namespace pollux
