#include "pollux/bench/doctor.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"
#include "bench/command.h"
#include "located.h"
#include "terminal.h"

namespace pollux {

namespace {

namespace fs = std::filesystem;

struct DoctorCli {
  std::string directory;
  bool json = false;
  unsigned look_ms = 3000;
};

// The data directory, or what it will be made in.
fs::path nearest_there(fs::path directory) {
  std::error_code error;
  while (!directory.empty() && !fs::is_directory(directory, error) && directory.has_relative_path()) {
    directory = directory.parent_path();
  }
  return directory.empty() ? fs::path(".") : directory;
}

int run_doctor(const Globals& globals, const DoctorCli& asked) {
  DoctorOptions options;
  options.json = asked.json;
  options.look = std::chrono::milliseconds(asked.look_ms);
  auto located = locate(globals);
  // A host can be looked at before there is any configuration: only one that was named must be there.
  const char* in_environment = std::getenv("POLLUX_CONFIG");
  const bool named =
      !globals.config.empty() || !globals.data.empty() || (in_environment != nullptr && *in_environment);
  std::error_code error;
  if (!located && !named && !fs::exists("pollux.toml", error)) located = locate(globals, true);
  if (!located) {
    complain("doctor: " + located.error().text);
    return DoctorExit::failed;
  }
  const auto& arguments = located->arguments;
  options.config_name =
      !arguments.empty() && arguments.front() == "--config" ? arguments.at(1) : "the default configuration";
  options.directory =
      asked.directory.empty() ? nearest_there(located->config.data) : fs::path(asked.directory);
  options.config = std::move(located->config);
  return doctor(options);
}

}  // namespace

void add_doctor(CLI::App& app, const Globals& globals, std::function<int()>& run) {
  const auto asked = std::make_shared<DoctorCli>();
  CLI::App* command = app.add_subcommand("doctor",
                                         "Look at this host for some seconds: which heartbeat, lease and "
                                         "grace a pair can keep here, and which settings of "
                                         "the host, its disk and the configuration will hurt. Exit code: 0 "
                                         "nothing to do, 1 could not look, 3 warnings");
  command->fallthrough();
  command->add_option("--directory", asked->directory,
                      "whose disk is looked at; else that of the configuration's data directory");
  command->add_option("--look-ms", asked->look_ms, "for how long, about")
      ->check(CLI::Range(50u, 3'600'000u))
      ->capture_default_str();
  command->add_flag("--json", asked->json, "one JSON object");
  command->callback(
      [asked, &globals, &run] { run = [asked, &globals] { return run_doctor(globals, *asked); }; });
}

}  // namespace pollux
