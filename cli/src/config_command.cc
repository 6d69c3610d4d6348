// `pollux config check`
#include "commands.h"
#include "exit_codes.h"
#include "service_list.h"
#include "terminal.h"

namespace pollux {

int run_config_check(const Globals& globals, const std::string& file) {
  std::string name = file.empty() ? globals.config : file;
  if (name.empty()) {
    // The file that other commands would read: locate() says which, or that there is none.
    const Result<Located> located = locate(globals);
    if (located && located->arguments.front() == "--config") name = located->arguments.at(1);
    if (located && name.empty()) {
      print("no configuration file here: the default configuration, data in " +
            located->config.data.string());
      return Exit::ok;
    }
    if (!located) return fail_with(located.error());
  }
  std::vector<std::string> faults;
  const Result<Config> config = load_config(name, {.services = service_names(), .faults = &faults});
  if (!config) {
    if (faults.empty()) faults.push_back(config.error().text);
    for (const std::string& fault : faults) complain(fault);
    return Exit::bad_config;
  }
  print(name + ": good; " + std::to_string(config->pairs.size()) + " pairs, " +
        std::to_string(config->gateways.size()) + " gateways, data in " + config->data.string());
  return Exit::ok;
}

}  // namespace pollux
