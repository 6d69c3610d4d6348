// nginx, serving the same items as plain files.
#include <unistd.h>

#include "http/http_socket.h"
#include "groupware/other_servers.h"

namespace pollux {

namespace {

// As Debian's own configuration, where that says anything. Passwords are in plain, so that checking them
// costs nothing.
std::string nginx_config(const std::filesystem::path& home, const std::string& address) {
  const std::string at = home.string();
  std::string text = ::geteuid() == 0 ? "user root;\n" : "";  // the directory is ours alone
  text += "daemon off;\nworker_processes auto;\npid " + at + "/nginx.pid;\nerror_log " + at +
          "/error.log;\nevents { worker_connections 4096; }\nhttp {\n  sendfile on;\n  tcp_nopush on;\n"
          "  keepalive_requests 100000000;\n  types { text/calendar ics; }\n  access_log " +
          at + "/access.log combined;\n";
  for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    text += std::string("  ") + kind + "_temp_path " + at + "/" + kind + ";\n";
  return text + "  server {\n    listen " + address + ";\n    location / {\n      root " + at +
         "/files;\n      auth_basic bench;\n      auth_basic_user_file " + at +
         "/passwords;\n    }\n  }\n}\n";
}

}  // namespace

Result<std::unique_ptr<RunningServer>> start_nginx(const OtherServerOptions& options) {
  auto running = std::make_unique<RunningServer>();
  auto home = TemporaryDirectory::make(options.parent, "pollux-nginx-");
  if (!home) return std::unexpected(home.error());
  running->home = std::move(*home);
  const auto& at = running->home->path();
  if (auto written = write_items(at / "files", 0); !written) return std::unexpected(written.error());
  const auto port = free_loopback_port();
  if (!port) return std::unexpected(port.error());
  auto& server = running->server;
  server = {.name = "nginx",
            .version = said_by({options.program, "-v"}, at),
            .how =
                "the same items as files, access log on, Basic authentication (passwords in plain), "
                "worker_processes auto",
            .address = "127.0.0.1:" + std::to_string(*port),
            .authorization = basic_authorization(BenchLogin::user, BenchLogin::password),
            .root = "/",
            .dav = false};
  for (const auto& [file, text] :
       {std::pair(at / "nginx.conf", nginx_config(at, server.address)),
        std::pair(at / "passwords",
                  std::string(BenchLogin::user) + ":{PLAIN}" + std::string(BenchLogin::password) + "\n")}) {
    if (auto written = write_file(file, text); !written) return std::unexpected(written.error());
  }
  const auto started =
      start_process(*running, {options.program, "-p", at.string(), "-c", (at / "nginx.conf").string(), "-e",
                               (at / "error.log").string()});
  if (!started) return std::unexpected(started.error());
  return running;
}

}  // namespace pollux
