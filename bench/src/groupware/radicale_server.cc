// Radicale, given its items as files in its storage folder.
#include "http/http_socket.h"
#include "groupware/other_servers.h"

namespace pollux {

namespace {

// Its defaults, but for where things are. Passwords are in plain, so that checking them costs nothing.
std::string radicale_config(const std::filesystem::path& at, const std::string& address) {
  return "[server]\nhosts = " + address +
         "\nmax_connections = 1000\ntimeout = 600\n[auth]\ntype = htpasswd\n"
         "htpasswd_filename = " +
         (at / "passwords").string() +
         "\nhtpasswd_encryption = plain\n[rights]\ntype = owner_only\n[storage]\nfilesystem_folder = " +
         (at / "storage").string() + "\n[logging]\nlevel = warning\n";
}

}  // namespace

Result<std::unique_ptr<RunningServer>> start_radicale(const OtherServerOptions& options) {
  auto running = std::make_unique<RunningServer>();
  auto home = TemporaryDirectory::make(options.parent, "pollux-radicale-");
  if (!home) return std::unexpected(home.error());
  running->home = std::move(*home);
  const auto& at = running->home->path();
  const auto collections = at / "storage" / "collection-root" / BenchLogin::user;
  if (auto written = write_items(collections, options.events); !written)
    return std::unexpected(written.error());
  for (const auto& collection : std::filesystem::directory_iterator(collections)) {
    if (auto written = write_file(collection.path() / ".Radicale.props", R"({"tag": "VCALENDAR"})"); !written)
      return std::unexpected(written.error());
  }
  const auto port = free_loopback_port();
  if (!port) return std::unexpected(port.error());
  running->server = {
      .name = "radicale",
      .version = said_by({options.program, "--version"}, at),
      .how =
          "the same items as files in its storage folder, Basic authentication (passwords in plain), "
          "up to 1,000 connections",
      .address = "127.0.0.1:" + std::to_string(*port),
      .authorization = basic_authorization(BenchLogin::user, BenchLogin::password),
      .root = "/" + std::string(BenchLogin::user) + "/"};
  for (const auto& [file, text] :
       {std::pair(at / "config", radicale_config(at, running->server.address)),
        std::pair(at / "passwords",
                  std::string(BenchLogin::user) + ":" + std::string(BenchLogin::password) + "\n")}) {
    if (auto written = write_file(file, text); !written) return std::unexpected(written.error());
  }
  const auto started = start_process(*running, {options.program, "--config", (at / "config").string()});
  if (!started) return std::unexpected(started.error());
  return running;
}

}  // namespace pollux
