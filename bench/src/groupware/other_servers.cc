#include "groupware/other_servers.h"

#include <fstream>

#include "groupware/groupware_items.h"
#include "groupware/groupware_pair.h"

namespace pollux {

Result<void> write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) return fail(Code::io_error, "can't write " + file.string() + "; is the disk full?");
  return {};
}

Result<void> write_items(const std::filesystem::path& directory, std::uint64_t events) {
  const auto write = [&](std::string_view collection, std::uint64_t count, const auto& name,
                         const auto& text) -> Result<void> {
    std::error_code error;
    std::filesystem::create_directories(directory / collection, error);
    if (error)
      return fail(Code::io_error, "can't make " + (directory / collection).string() + ": " + error.message());
    for (std::uint64_t number = 0; number < count; ++number) {
      if (auto written = write_file(directory / collection / name(number), text(number)); !written)
        return written;
    }
    return {};
  };
  const auto sized = [](std::uint32_t bytes) {
    return [bytes](std::uint64_t n) { return item_text(bytes, n); };
  };
  for (const auto bytes : item_sizes) {
    if (auto done = write(item_collection(bytes), items_each, item_name, sized(bytes)); !done) return done;
  }
  if (events == 0) return {};
  if (auto done = write(changed_collection, items_each, item_name, sized(item_sizes[0])); !done) return done;
  if (auto done = write(new_collection, 0, item_name, sized(item_sizes[0])); !done) return done;
  return write(event_collection, events, event_name, [](std::uint64_t n) { return event_text(n); });
}

Result<void> start_process(RunningServer& running, const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment) {
  const auto output = running.home->path() / "output";
  auto process =
      ChildProcess::start({.argv = argv, .environment = environment, .input = {}, .output = output});
  if (!process) return std::unexpected(process.error());
  running.process = std::move(*process);
  return wait_until_listening(running, output);
}

const std::vector<OtherServer>& other_servers() {
  static const std::vector<OtherServer> all = {{"nginx", "nginx", "nginx-light", false, start_nginx},
                                               {"radicale", "radicale", "radicale", true, start_radicale},
                                               {"xandikos", "xandikos", "xandikos", true, start_xandikos}};
  return all;
}

}  // namespace pollux
