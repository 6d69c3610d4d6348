// Xandikos, given its items as one commit a collection.
#include <sys/wait.h>

#include <fstream>

#include "http/http_socket.h"
#include "groupware/other_servers.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds commit_limit(300);

// By its own code, so that the repositories are what it makes itself.
constexpr std::string_view commit_items = R"(
import os, sys
from dulwich.repo import Repo
from xandikos.store.git import TreeGitStore
for path in sys.argv[1:]:
    names = [name for name in os.listdir(path) if name.endswith('.ics')]
    items = {name: open(os.path.join(path, name), 'rb').read() for name in names}
    for name in names:
        os.unlink(os.path.join(path, name))
    os.rmdir(path)
    store = TreeGitStore.create(path)
    store.set_type('calendar')
    for name, item in items.items():
        with open(os.path.join(path, name), 'wb') as file:
            file.write(item)
    if names:
        repo = Repo(path)
        repo.stage(names)
        repo.do_commit(b'The items', committer=b'bench <bench@localhost>')
)";

// The interpreter of the program's first line: another one may not have its modules.
std::string interpreter_of(const std::string& program) {
  std::ifstream file(program);
  std::string line;
  std::getline(file, line);
  const auto words = line.starts_with("#!") ? line.substr(2, line.find(' ') - 2) : std::string();
  return words.find("python") != std::string::npos ? words : find_program("python3");
}

Result<void> commit(const std::string& program, const std::filesystem::path& collections,
                    const std::filesystem::path& output) {
  std::vector<std::string> argv = {interpreter_of(program), "-c", std::string(commit_items)};
  if (argv.front().empty()) return fail(Code::not_found, "xandikos needs python3");
  for (const auto& collection : std::filesystem::directory_iterator(collections))
    argv.push_back(collection.path());
  auto child = ChildProcess::start({.argv = argv, .environment = {}, .input = {}, .output = output});
  if (!child) return std::unexpected(child.error());
  const auto status = (*child)->wait(commit_limit);
  if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return {};
  return fail(Code::io_error, "xandikos can't be given the items: " + last_words(output));
}

}  // namespace

Result<std::unique_ptr<RunningServer>> start_xandikos(const OtherServerOptions& options) {
  auto running = std::make_unique<RunningServer>();
  auto home = TemporaryDirectory::make(options.parent, "pollux-xandikos-");
  if (!home) return std::unexpected(home.error());
  running->home = std::move(*home);
  const auto& at = running->home->path();
  const auto collections = at / "data" / BenchLogin::user / "calendars";
  if (auto written = write_items(collections, options.events); !written)
    return std::unexpected(written.error());
  if (auto committed = commit(options.program, collections, at / "output"); !committed)
    return std::unexpected(committed.error());
  const auto port = free_loopback_port();
  if (!port) return std::unexpected(port.error());
  running->server = {
      .name = "xandikos",
      .version = said_by({options.program, "--version"}, at),
      .how =
          "the same items, one commit a collection; it has no authentication of its own, so it "
          "checks none",
      .address = "127.0.0.1:" + std::to_string(*port),
      .authorization = basic_authorization(BenchLogin::user, BenchLogin::password),
      .root = "/" + std::string(BenchLogin::user) + "/calendars/"};
  const auto started =
      start_process(*running, {options.program, "-d", (at / "data").string(), "-l", "127.0.0.1", "-p",
                               std::to_string(*port), "--current-user-principal",
                               "/" + std::string(BenchLogin::user) + "/"});
  if (!started) return std::unexpected(started.error());
  return running;
}

}  // namespace pollux
