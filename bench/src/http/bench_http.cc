#include <algorithm>
#include <memory>

#include "commit/commit_runs.h"
#include "groupware/groupware_items.h"
#include "groupware/groupware_pair.h"
#include "http/http_load.h"
#include "http/http_plan.h"
#include "http/http_socket.h"
#include "run/benchmark.h"
#include "run/format.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

constexpr std::string_view xml_headers = "Content-Type: application/xml; charset=utf-8\r\n";
constexpr std::string_view calendar_headers = "Content-Type: text/calendar; charset=utf-8\r\n";
constexpr unsigned multiget_items = 20;

// What is asked for: "get-700" is a task, "get-1500" a forum post, "get-4000" a wiki page, "get-12000" a
// support mail.
struct Operation {
  std::string name;
  std::uint32_t item_bytes;  // of the collection it is about
};
const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {{"get-700", 700},     {"get-1500", 1500}, {"get-4000", 4000},
                                             {"get-12000", 12000}, {"propfind", 700},  {"multiget-20", 700},
                                             {"put", 700}};
  return all;
}

struct Opened {
  std::unique_ptr<GroupwarePair> pair;
  HttpStored stored;
};

std::string multiget(const ServerUnderTest& server, std::uint32_t bytes) {
  std::vector<std::string> paths;
  for (unsigned i = 0; i < multiget_items; ++i)
    paths.push_back(server.path(item_collection(bytes), item_name(i)));
  return multiget_body(paths);
}

HttpRequest request_of(const ServerUnderTest& server, const Operation& operation, std::uint64_t number,
                       bool keep_alive) {
  const auto collection = item_collection(operation.item_bytes);
  std::string headers = keep_alive ? "" : "Connection: close\r\n";
  if (operation.name == "propfind") {
    headers += std::string(xml_headers) + "Depth: 1\r\n";
    return {server.request("PROPFIND", server.collection_path(collection), propfind_body(), headers),
            {.statuses = {207}, .body_bytes = {}}};
  }
  if (operation.name.starts_with("multiget")) {
    headers += std::string(xml_headers) + "Depth: 1\r\n";
    return {server.request("REPORT", server.collection_path(collection),
                           multiget(server, operation.item_bytes), headers),
            {.statuses = {207}, .body_bytes = {}}};
  }
  if (operation.name == "put") {
    headers += calendar_headers;
    return {server.request("PUT", server.path(new_collection, item_name(number)),
                           item_text(operation.item_bytes, number), headers),
            {.statuses = {201}, .body_bytes = {}, .etag = true}};
  }
  return {server.request("GET", server.path(collection, item_name(number % items_each)), "", headers),
          {.statuses = {200}, .body_bytes = operation.item_bytes, .etag = true}};
}

std::vector<std::string> close_pair(Opened& opened) {
  std::vector<std::string> wrong;
  if (opened.pair != nullptr && !InterruptGuard::interrupted()) {
    if (const auto lost = count_lost(*opened.pair, opened.stored); !lost.empty()) wrong.push_back(lost);
    if (const auto check = opened.pair->check(); !check.wrong.empty()) wrong.push_back(check.wrong);
  }
  opened.pair.reset();
  return wrong;
}

bool wanted(const BenchHttpOptions& options, const std::string& name) {
  return options.operations.empty() ||
         std::ranges::find(options.operations, name) != options.operations.end();
}

}  // namespace

Result<CellRun> run_http_cell(GroupwarePair& pair, HttpStored& stored, const std::string& name,
                              unsigned clients, bool keep_alive, const BenchHttpOptions& options) {
  const auto& server = pair.server();
  const auto& operation = *std::ranges::find(operations(), name, &Operation::name);
  HttpLoadOptions load{.address = server.address, .connections = clients, .request = {}};
  const auto first = stored.next;
  load.request = [&](std::uint64_t n, HttpRequest& into) {
    into = request_of(server, operation, first + n, keep_alive);
  };
  load.warm_up = std::chrono::nanoseconds(0);
  load.duration = options.limit;
  load.duration_max = options.limit;
  load.requests_max = options.requests;
  load.rate = options.rate;
  load.stop = &InterruptGuard::flag();
  const auto measured = run_http_load(load);
  if (operation.name == "put" && measured.failed == 0) stored.next += measured.sent;
  CellRun run;
  run.figures.push_back(rate_figure("answers", measured.measured_answers, measured.measured));
  run.figures.push_back(times_figure("answer", measured.latency));
  run.found = {{"answered", std::to_string(measured.answered)},
               {"failed", std::to_string(measured.failed)},
               {"connections made", std::to_string(measured.connects)}};
  if (options.rate != 0) run.found.emplace_back("never sent", std::to_string(measured.unsent));
  if (measured.failed > 0) {
    run.wrong.push_back(count_text(measured.failed) + " requests failed, the first: " + measured.first_error);
  }
  if (!measured.drained) run.wrong.emplace_back("some requests were not answered in time");
  if (keep_alive && measured.connects > clients) {
    run.wrong.push_back("connections were not kept: " + count_text(measured.connects) + " were made for " +
                        count_text(clients) + " clients");
  }
  return run;
}

std::string count_lost(GroupwarePair& pair, const HttpStored& stored) {
  const auto& server = pair.server();
  HttpConnection connection(server.address);
  std::uint64_t lost = 0;
  for (std::uint64_t number = 0; number < stored.next && !InterruptGuard::interrupted(); ++number) {
    const auto answer =
        connection.call(server.request("GET", server.path(new_collection, item_name(number))));
    if (!answer || answer->head.status != 200 || answer->body != item_text(item_sizes[0], number)) ++lost;
  }
  return lost == 0 ? ""
                   : count_text(lost) + " of " + count_text(stored.next) +
                         " items that were acknowledged are missing or differ";
}

std::vector<std::string> http_operations() {
  std::vector<std::string> names;
  for (const auto& operation : operations()) names.push_back(operation.name);
  return names;
}

void make_quick(BenchHttpOptions& options) {
  if (options.operations.empty()) options.operations = {"get-700", "get-12000", "propfind", "put"};
  options.limit = std::min(options.limit, std::chrono::milliseconds(2000));
}

std::vector<CellGroup> plan_http(const BenchCommon& common, const BenchHttpOptions& options,
                                 const std::filesystem::path& directory) {
  const auto opened = std::make_shared<Opened>();
  CellGroup group{.name = "http",
                  .cells = {},
                  .open_takes = std::chrono::seconds(4),
                  .open = [opened, common, options, directory]() -> Result<void> {
                    Progress progress;
                    auto pair = GroupwarePair::start({.command = common.command,
                                                      .parent = directory,
                                                      .events = 0,
                                                      .pair_settings = lines(options.settings),
                                                      .gateway_settings = lines(options.gateway_settings)},
                                                     progress);
                    if (!pair) return std::unexpected(pair.error());
                    opened->pair = std::move(*pair);
                    return {};
                  },
                  .close = [opened] { return close_pair(*opened); }};
  for (const auto& operation : operations()) {
    if (!wanted(options, operation.name)) continue;
    for (const unsigned clients : options.clients) {
      for (const bool keep_alive : options.keep_alive) {
        group.cells.push_back(
            {.bench = "http",
             .workload = {{"operation", operation.name},
                          {"clients", std::to_string(clients)},
                          {"keep_alive", keep_alive ? "yes" : "no"},
                          {"requests", std::to_string(options.requests)},
                          {"rate", options.rate == 0 ? "closed" : std::to_string(options.rate)}},
             .not_available = {},
             .takes = std::chrono::milliseconds(200),
             .run = [opened, operation, clients, keep_alive, options] {
               return run_http_cell(*opened->pair, opened->stored, operation.name, clients, keep_alive,
                                    options);
             }});
      }
    }
  }
  return {group};
}

int bench_http(const BenchCommon& common, const BenchHttpOptions& options) {
  return run_benchmark(common, "http",
                       [&](const std::filesystem::path& directory) -> Result<std::vector<CellGroup>> {
                         return plan_http(common, options, directory);
                       });
}

}  // namespace pollux
