// The requests of each kind of cell, and a first look at their answers.
#include <algorithm>

#include "run/format.h"
#include "groupware/groupware_items.h"
#include "groupware/groupware_runs.h"
#include "http/http_socket.h"

namespace pollux {

namespace {

constexpr std::string_view xml_headers = "Content-Type: application/xml; charset=utf-8\r\n";
constexpr std::string_view calendar_headers = "Content-Type: text/calendar; charset=utf-8\r\n";
constexpr std::chrono::seconds first_answer_limit(120);
// So long at most are the requests of one cell looked at beforehand; the rest of them is left out then.
constexpr std::int64_t looking_ns_max = 3'000'000'000;
constexpr unsigned months = 12;

struct Prepared {
  std::string bytes;
  std::vector<int> statuses;
  std::optional<std::uint64_t> body_bytes;  // known beforehand
  std::optional<unsigned> responses;        // of a multi-status answer
};

Error wrong_answer(const ServerUnderTest& server, const std::string& bytes, const std::string& what) {
  return {Code::invalid_argument, server.name + ": " + bytes.substr(0, bytes.find(" HTTP/")) + ": " + what};
}

// Sends each once, and learns the length of its answer.
Result<RequestSource> look_at(const ServerUnderTest& server, std::vector<Prepared> prepared, bool etag,
                              bool exact) {
  HttpConnection connection(server.address);
  std::vector<HttpRequest> requests;
  RequestSource source;
  std::int64_t spent = 0;
  // Some read all of a collection at its first request, and keep what they found: that is not timed.
  if (const auto warm = connection.call(prepared.front().bytes, first_answer_limit); !warm)
    return std::unexpected(warm.error());
  for (auto& one : prepared) {
    const auto answer = connection.call(one.bytes, first_answer_limit);
    if (!answer) return std::unexpected(answer.error());
    const auto wrong = [&](const std::string& what) {
      return std::unexpected(wrong_answer(server, one.bytes, what));
    };
    if (std::ranges::find(one.statuses, answer->head.status) == one.statuses.end())
      return wrong("answered with status " + std::to_string(answer->head.status));
    if (one.body_bytes && *one.body_bytes != answer->body.size())
      return wrong("answered with " + std::to_string(answer->body.size()) + " bytes, not " +
                   std::to_string(*one.body_bytes));
    if (etag && answer->head.etag.empty()) return wrong("answered without an ETag");
    if (const auto told = responses_in(answer->body); one.responses && told != *one.responses) {
      const auto what =
          "answered with " + std::to_string(told) + " items, not " + std::to_string(*one.responses);
      // Others may find fewer or more; that is told beside their figure. Ours must be right.
      if (exact || told == 0) return wrong(what);
      source.note = what;
    }
    requests.push_back(
        {.bytes = std::move(one.bytes),
         .expected = {.statuses = one.statuses, .body_bytes = answer->body.size(), .etag = etag}});
    spent += answer->time_ns;
    if (spent > looking_ns_max) break;
  }
  if (requests.size() < prepared.size()) {
    source.note += (source.note.empty() ? "" : "; ") + count_text(requests.size()) + " of " +
                   count_text(prepared.size()) + " different requests only";
  }
  source.one_ns = spent / static_cast<std::int64_t>(requests.size());
  source.request = [requests = std::move(requests)](std::uint64_t n, HttpRequest& into) {
    into = requests[n % requests.size()];
  };
  return source;
}

std::vector<Prepared> gets(const ServerUnderTest& server, std::uint32_t bytes, bool exact) {
  std::vector<Prepared> all;
  for (unsigned number = 0; number < items_each; ++number) {
    all.push_back({.bytes = server.request("GET", server.path(item_collection(bytes), item_name(number))),
                   .statuses = {200},
                   .body_bytes = exact ? std::optional<std::uint64_t>(bytes) : std::nullopt,
                   .responses = {}});
  }
  return all;
}

std::vector<Prepared> reports(const ServerUnderTest& server, const CellPlan& plan, std::uint64_t events) {
  std::vector<Prepared> all;
  const auto small = item_collection(item_sizes[0]);
  const auto add = [&](std::string_view method, std::string_view collection, const std::string& body,
                       unsigned responses) {
    all.push_back({.bytes = server.request(method, server.collection_path(collection), body,
                                           "Depth: 1\r\n" + std::string(xml_headers)),
                   .statuses = {207},
                   .body_bytes = {},
                   .responses = responses});
  };
  if (plan.kind == CellKind::propfind) {
    add("PROPFIND", small, propfind_body(), items_each + 1);
  } else if (plan.kind == CellKind::multiget) {
    for (unsigned first = 0; first < items_each; first += plan.items) {
      std::vector<std::string> paths;
      for (unsigned i = 0; i < plan.items; ++i)
        paths.push_back(server.path(small, item_name((first + i) % items_each)));
      add("REPORT", small, multiget_body(paths), plan.items);
    }
  } else {
    const auto days = days_of(events);
    const auto last = days > month_days ? days - month_days : 0;
    for (unsigned month = 0; month < months; ++month) {
      const auto first = last * month / months;
      add("REPORT", event_collection, time_range_body(first, month_days),
          events_within(events, first, month_days));
    }
  }
  return all;
}

Result<RequestSource> puts(Lane& lane, const CellPlan& plan) {
  const bool is_new = plan.kind == CellKind::put_new;
  RequestSource source;
  source.request = [&lane, is_new](std::uint64_t, HttpRequest& into) {
    const auto number = is_new ? lane.stored++ : lane.version % items_each;
    const auto version = is_new ? 0 : ++lane.version;
    into.expected = {.statuses = is_new ? std::vector{201} : std::vector{200, 201, 204},
                     .body_bytes = {},
                     .etag = lane.name == "pollux"};
    into.bytes = lane.server->request(
        "PUT", lane.server->path(is_new ? new_collection : changed_collection, item_name(number)),
        item_text(item_sizes[0], number, version), calendar_headers);
  };
  HttpRequest first;
  source.request(0, first);
  const auto answer = HttpConnection(lane.server->address).call(first.bytes, first_answer_limit);
  if (!answer) return std::unexpected(answer.error());
  if (std::ranges::find(first.expected.statuses, answer->head.status) == first.expected.statuses.end()) {
    return std::unexpected(wrong_answer(*lane.server, first.bytes,
                                        "answered with status " + std::to_string(answer->head.status)));
  }
  source.one_ns = answer->time_ns;
  return source;
}

}  // namespace

Result<RequestSource> make_source(Lane& lane, const CellPlan& plan, std::uint64_t events) {
  const auto& server = *lane.server;
  switch (plan.kind) {
    case CellKind::get:
      // Others may store what an item means instead of its bytes; then it comes back in another length.
      return look_at(server, gets(server, plan.item_bytes, lane.name == "pollux" || !server.dav), true, true);
    case CellKind::put_new:
    case CellKind::put_changed:
      return puts(lane, plan);
    default:
      return look_at(server, reports(server, plan, events), false, lane.name == "pollux");
  }
}

}  // namespace pollux
