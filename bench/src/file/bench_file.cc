#include <algorithm>
#include <memory>
#include <random>

#include "commit/commit_runs.h"
#include "file/file_plan.h"
#include "groupware/groupware_pair.h"
#include "http/http_socket.h"
#include "peer/socket_settings.h"
#include "run/benchmark.h"
#include "run/format.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

constexpr std::string_view file_headers = "Content-Type: application/octet-stream\r\n";
constexpr std::uint64_t around_bytes = 1u << 20;         // what a request is larger than its body, and more
constexpr std::uint64_t request_bytes_least = 8u << 20;  // the pair's default

struct OpenFiles {
  std::unique_ptr<GroupwarePair> pair;
  std::uint64_t number = 0;  // of the next content
};

std::string path_of(const std::string& name) {
  return "/dav/files/" + std::string(BenchLogin::user) + "/" + name;
}

// One connection with its buffers; every answer's status is checked.
class Files {
 public:
  Files(const ServerUnderTest& server, std::uint32_t buffer_bytes)
      : server_(server), connection_(server.address, buffer_bytes) {}

  // So that neither the connection nor the first check of the password is timed.
  Result<void> warm() {
    auto answer = call("OPTIONS", path_of(""), "", "", {200, 204});
    if (!answer) return std::unexpected(answer.error());
    return {};
  }
  Result<std::int64_t> put(const std::string& name, const std::string& text) {
    return time_of(call("PUT", path_of(name), text, file_headers, {201, 204}));
  }
  Result<HttpAnswer> get(const std::string& name) { return call("GET", path_of(name), "", "", {200}); }
  Result<std::int64_t> copy(const std::string& from, const std::string& to) {
    return time_of(call("COPY", path_of(from), "",
                        "Destination: http://" + server_.address + path_of(to) + "\r\nOverwrite: T\r\n",
                        {201, 204}));
  }
  [[nodiscard]] GrantedBuffers granted() const { return granted_buffers(connection_.descriptor()); }
  [[nodiscard]] bool kept() const { return connection_.open(); }

 private:
  Result<HttpAnswer> call(std::string_view method, const std::string& path, std::string_view body,
                          std::string_view headers, const std::vector<int>& statuses) {
    auto answer = connection_.call(server_.request(method, path, body, headers));
    if (!answer) return answer;
    if (std::ranges::find(statuses, answer->head.status) != statuses.end()) return answer;
    return fail(Code::invalid_argument, std::string(method) + " of a file was answered with status " +
                                            std::to_string(answer->head.status));
  }
  static Result<std::int64_t> time_of(const Result<HttpAnswer>& answer) {
    if (!answer) return std::unexpected(answer.error());
    return answer->time_ns;
  }
  const ServerUnderTest& server_;
  HttpConnection connection_;
};

struct Timed {
  std::int64_t ns = 0;
  std::string stored_as;  // what must hold `text` now; empty: it was read
};

Result<Timed> timed(Files& files, const std::string& operation, const std::string& text, CellRun& run) {
  if (operation == "put") {
    const auto ns = files.put("a", text);
    if (!ns) return std::unexpected(ns.error());
    return Timed{*ns, "a"};
  }
  if (const auto ns = files.put("a", text); !ns) return std::unexpected(ns.error());
  if (operation == "copy") {
    const auto ns = files.copy("a", "b");
    if (!ns) return std::unexpected(ns.error());
    return Timed{*ns, "b"};
  }
  const auto answer = files.get("a");
  if (!answer) return std::unexpected(answer.error());
  if (answer->body != text) run.wrong.emplace_back("a file came back with other bytes than were stored");
  if (operation == "get") return Timed{answer->time_ns, ""};
  const auto ns = files.put("b", answer->body);
  if (!ns) return std::unexpected(ns.error());
  return Timed{answer->time_ns + *ns, "b"};
}

Result<CellRun> run_cell(OpenFiles& opened, const std::string& operation, std::uint32_t buffer,
                         const BenchFileOptions& options) {
  Files files(opened.pair->server(), buffer);
  const auto text = file_text(options.bytes, opened.number++);
  CellRun run;
  if (auto warm = files.warm(); !warm) return std::unexpected(warm.error());
  const auto done = timed(files, operation, text, run);
  if (!done) return std::unexpected(done.error());
  if (!done->stored_as.empty()) {
    const auto answer = files.get(done->stored_as);
    if (!answer) return std::unexpected(answer.error());
    if (answer->body != text) run.wrong.emplace_back("a file came back with other bytes than were stored");
  }
  run.figures.push_back(bytes_rate_figure("throughput", options.bytes, std::chrono::nanoseconds(done->ns)));
  run.figures.push_back(number_figure("time", Unit::ns, Better::less, done->ns));
  if (files.kept()) {
    const auto granted = files.granted();
    run.found = {{"send buffer granted", std::to_string(granted.send_bytes)},
                 {"receive buffer granted", std::to_string(granted.receive_bytes)}};
    const auto less = shortfall({.buffer_bytes = buffer}, granted, "this end");
    if (!less.empty()) run.noisy.push_back(less);
  }
  run.found.emplace_back("gateway's buffers", "auto: no key of the configuration sets them");
  return run;
}

std::vector<std::string> close_files(OpenFiles& opened) {
  std::vector<std::string> wrong;
  if (opened.pair != nullptr && !InterruptGuard::interrupted()) {
    if (const auto check = opened.pair->check(); !check.wrong.empty()) wrong.push_back(check.wrong);
  }
  opened.pair.reset();
  return wrong;
}

// The gateway refuses what is larger than it is told to take, so it is told to take this.
Result<void> open_files(OpenFiles& opened, const BenchCommon& common, const BenchFileOptions& options,
                        const std::filesystem::path& directory) {
  const auto request = std::to_string(std::max(request_bytes_least, options.bytes + 2 * around_bytes));
  auto pair_lines = lines(options.settings);
  if (pair_lines.find("request_bytes_max") == std::string::npos) {
    pair_lines += "request_bytes_max = " + request + "\nreply_bytes_max = " + request +
                  "\nsession_reply_bytes_max = \"64 MiB\"\n";
  }
  auto gateway_lines = lines(options.gateway_settings);
  if (gateway_lines.find("body_bytes_max") == std::string::npos) {
    gateway_lines += "body_bytes_max = " + std::to_string(options.bytes + around_bytes) + "\n";
  }
  Progress progress;
  auto pair = GroupwarePair::start({.command = common.command,
                                    .parent = directory,
                                    .events = 0,
                                    .pair_settings = pair_lines,
                                    .gateway_settings = gateway_lines},
                                   progress);
  if (!pair) return std::unexpected(pair.error());
  opened.pair = std::move(*pair);
  return {};
}

}  // namespace

std::vector<std::string> file_operations() { return {"put", "get", "copy", "client-copy"}; }

std::string file_text(std::uint64_t bytes, std::uint64_t number) {
  std::mt19937_64 random(number);
  std::string text(bytes, '\0');
  for (auto& byte : text) byte = static_cast<char>(random());
  return text;
}

void make_quick(BenchFileOptions& options) {
  options.bytes = std::min<std::uint64_t>(options.bytes, 1u << 20);
}

std::vector<CellGroup> plan_file(const BenchCommon& common, const BenchFileOptions& options,
                                 const std::filesystem::path& directory) {
  const auto opened = std::make_shared<OpenFiles>();
  CellGroup group{.name = "file",
                  .cells = {},
                  .open_takes = std::chrono::seconds(4),
                  .open = [opened, common, options,
                           directory] { return open_files(*opened, common, options, directory); },
                  .close = [opened] { return close_files(*opened); }};
  for (const auto& operation : options.operations.empty() ? file_operations() : options.operations) {
    for (const auto buffer : options.buffers) {
      group.cells.push_back({.bench = "file",
                             .workload = {{"operation", operation},
                                          {"bytes", std::to_string(options.bytes)},
                                          {"buffers", buffer == 0 ? "auto" : std::to_string(buffer)},
                                          {"ends", "client"}},
                             .not_available = {},
                             .takes = std::chrono::milliseconds(500),
                             .run = [opened, operation, buffer, options] {
                               return run_cell(*opened, operation, buffer, options);
                             }});
    }
  }
  return {group};
}

int bench_file(const BenchCommon& common, const BenchFileOptions& options) {
  return run_benchmark(common, "file",
                       [&](const std::filesystem::path& directory) -> Result<std::vector<CellGroup>> {
                         return plan_file(common, options, directory);
                       });
}

}  // namespace pollux
