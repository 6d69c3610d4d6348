#include "groupware/server_under_test.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "http/http_socket.h"
#include "run/interrupt.h"
#include "pollux/bench/spawned_pair.h"
#include "host/process_table.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds stop_limit(10), start_limit(30), say_limit(10);
constexpr std::chrono::milliseconds knock_limit(500);
constexpr std::size_t last_words_bytes = 300;

std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string ServerUnderTest::request(std::string_view method, std::string_view path, std::string_view body,
                                     std::string_view headers) const {
  std::string out;
  out.reserve(256 + path.size() + body.size() + headers.size());
  out.append(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: ").append(address).append("\r\n");
  out.append(authorization).append(headers);
  if (!body.empty()) out.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  return out.append("\r\n").append(body);
}

void RunningServer::end() {
  if (!process || !process->running()) return;
  const auto children = descendants_of(process->pid());
  process->signal(SIGTERM);
  if (process->wait(stop_limit)) return;
  process.reset();  // by SIGKILL, which does not reach its workers
  for (const pid_t pid : children) kill_and_wait(pid, stop_limit);
}

std::string find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string list = path == nullptr ? "" : path;
  list += ":/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin";
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find(':', at), list.size());
    const auto file = std::filesystem::path(list.substr(at, end - at)) / name;
    if (file.is_absolute() && access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file))
      return file;
    at = end + 1;
  }
  return "";
}

std::string said_by(const std::vector<std::string>& argv, const std::filesystem::path& directory) {
  const auto output = directory / "said";
  std::string text;
  if (auto child = ChildProcess::start({.argv = argv, .environment = {}, .output = output}); child) {
    if ((*child)->wait(say_limit)) text = file_text(output);
  }
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
  return text.substr(0, text.find('\n'));
}

std::string last_words(const std::filesystem::path& output) {
  std::string text = file_text(output);
  if (text.size() > last_words_bytes) text.erase(0, text.size() - last_words_bytes);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

Result<void> wait_until_listening(RunningServer& server, const std::filesystem::path& output) {
  const auto request = server.server.request("OPTIONS", server.server.root);
  const auto listens = [&] {
    return HttpConnection(server.server.address).call(request, knock_limit).has_value() ||
           !server.process->running();
  };
  const bool ready = SpawnedPair::wait_until(listens, start_limit, &InterruptGuard::flag());
  if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
  if (ready && server.process->running()) return {};
  return fail(Code::unreachable, server.server.name + " did not start: " + last_words(output));
}

}  // namespace pollux
