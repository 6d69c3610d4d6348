#include "office/office_run.h"

#include <map>

#include "groupware/groupware_items.h"
#include "groupware/groupware_pair.h"
#include "http/http_load.h"
#include "office/office_day.h"
#include "run/format.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

constexpr std::string_view xml_headers = "Content-Type: application/xml; charset=utf-8\r\nDepth: 1\r\n";
constexpr std::string_view calendar_headers = "Content-Type: text/calendar; charset=utf-8\r\n";
constexpr unsigned multiget_items = 20;
constexpr unsigned reading_connections = 16;
constexpr std::chrono::seconds beyond(120);  // so long after the last request was due, the rest is given up

struct Item {
  std::uint64_t number = 0;
  std::uint32_t bytes = 0;
};

class Day {
 public:
  Day(const ServerUnderTest& server, Office& office, const BenchOfficeOptions& options)
      : server_(server),
        options_(options),
        acts_(office_day(options)),
        first_(office.stored),
        tokens_(office.tokens),
        asked_(acts_.size()) {
    tokens_.resize(options.people);
    office.stored += acts_.size();  // a number for each act is more than there are items
  }

  Result<CellRun> run() {
    HttpLoadOptions load{.address = server_.address, .connections = options_.people, .request = {}};
    load.request = [this](std::uint64_t n, HttpRequest& into) { into = request(n); };
    load.due = [this](std::uint64_t n) { return acts_[n].due; };
    load.on_answer = [this](std::uint64_t n, std::string_view body, std::int64_t time_ns) {
      return answered(n, body, time_ns);
    };
    load.warm_up = {};
    load.duration = load.duration_max = acts_.back().due + beyond;
    load.requests_max = acts_.size();
    load.stop = &InterruptGuard::flag();
    const auto day = run_http_load(load);
    if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
    CellRun run = figures(day);
    if (day.failed > 0) {
      run.wrong.push_back(count_text(day.failed) + " requests failed, the first: " + day.first_error);
    }
    if (day.answered + day.failed < acts_.size()) {
      run.wrong.push_back(count_text(acts_.size() - day.answered - day.failed) +
                          " requests were not answered in time");
    }
    read_back(run);
    if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
    return run;
  }

 private:
  HttpRequest request(std::uint64_t n) {
    const auto& act = acts_[n];
    const auto small = item_collection(item_sizes[0]);
    switch (act.kind) {
      case OfficeKind::put:
        return {.bytes = server_.request("PUT", server_.path(new_collection, item_name(first_ + n)),
                                         item_text(act.item_bytes, first_ + n), calendar_headers),
                .expected = {.statuses = {201}, .body_bytes = {}, .etag = true}};
      case OfficeKind::get:
        return get(n, act);
      case OfficeKind::propfind:
        return report("PROPFIND", small, propfind_body());
      case OfficeKind::sync:
        return report("REPORT", new_collection, sync_body(tokens_[act.person]));
      case OfficeKind::multiget: {
        std::vector<std::string> paths;
        for (unsigned i = 0; i < multiget_items; ++i) {
          paths.push_back(server_.path(small, item_name((act.pick + i) % items_each)));
        }
        return report("REPORT", small, multiget_body(paths));
      }
    }
    return {};
  }

  // Every second time something that was written this day.
  HttpRequest get(std::uint64_t n, const OfficeAct& act) {
    auto& item = asked_[n];
    constexpr unsigned written_every = 2;
    if (!acknowledged_.empty() && act.pick % written_every == 0) {
      item = acknowledged_[act.pick / written_every % acknowledged_.size()];
      return get_of(new_collection, item);
    }
    item = {.number = act.pick % items_each, .bytes = act.item_bytes};
    return get_of(item_collection(item.bytes), item);
  }

  [[nodiscard]] HttpRequest get_of(std::string_view collection, const Item& item) const {
    return {.bytes = server_.request("GET", server_.path(collection, item_name(item.number))),
            .expected = {.statuses = {200}, .body_bytes = item.bytes, .etag = true}};
  }

  [[nodiscard]] HttpRequest report(std::string_view method, std::string_view collection,
                                   const std::string& body) const {
    return {.bytes = server_.request(method, server_.collection_path(collection), body, xml_headers),
            .expected = {.statuses = {207}, .body_bytes = {}}};
  }

  std::string answered(std::uint64_t n, std::string_view body, std::int64_t time_ns) {
    const auto& act = acts_[n];
    times_[act.kind].record_ns(time_ns);
    switch (act.kind) {
      case OfficeKind::put:
        acknowledged_.push_back({.number = first_ + n, .bytes = act.item_bytes});
        stored_bytes_ += act.item_bytes;
        return "";
      case OfficeKind::get:
        return body == item_text(asked_[n].bytes, asked_[n].number) ? "" : "answered with other bytes";
      case OfficeKind::sync:
        tokens_[act.person] = text_of_element(body, "sync-token");
        return tokens_[act.person].empty() ? "answered without a sync-token" : "";
      case OfficeKind::propfind:
        return count_of(body, items_each + 1);
      case OfficeKind::multiget:
        return count_of(body, multiget_items);
    }
    return "";
  }

  static std::string count_of(std::string_view body, unsigned expected) {
    const auto count = responses_in(body);
    if (count == expected) return "";
    return "answered with " + count_text(count) + " items, not " + count_text(expected);
  }

  CellRun figures(const HttpLoadResult& day) {
    CellRun run;
    run.figures.push_back(times_figure("answer", day.latency));
    for (const auto kind : office_kinds)
      run.figures.push_back(times_figure(std::string(word_of(kind)), times_[kind]));
    run.figures.push_back(number_figure("behind schedule", Unit::ns, Better::less, day.behind_ns));
    run.figures.push_back(number_figure("bytes stored", Unit::bytes, Better::neither,
                                        static_cast<std::int64_t>(stored_bytes_)));
    run.found = {{"requests", std::to_string(acts_.size())},
                 {"answered", std::to_string(day.answered)},
                 {"failed", std::to_string(day.failed)},
                 {"bytes of items", std::to_string(item_bytes_of(acts_))},
                 {"acknowledged", std::to_string(acknowledged_.size())}};
    return run;
  }

  // Byte for byte.
  void read_back(CellRun& run) const {
    HttpLoadOptions load{.address = server_.address, .connections = reading_connections, .request = {}};
    load.request = [this](std::uint64_t n, HttpRequest& into) {
      into = get_of(new_collection, acknowledged_[n]);
    };
    load.on_answer = [this](std::uint64_t n, std::string_view body, std::int64_t) -> std::string {
      const auto& item = acknowledged_[n];
      return body == item_text(item.bytes, item.number) ? "" : "came back with other bytes";
    };
    load.warm_up = {};
    load.duration = load.duration_max = std::chrono::hours(1);
    load.requests_max = acknowledged_.size();
    load.stop = &InterruptGuard::flag();
    if (acknowledged_.empty()) return;
    const auto result = run_http_load(load);
    run.found.emplace_back("found again", std::to_string(result.answered));
    if (result.answered == acknowledged_.size() || InterruptGuard::interrupted()) return;
    run.wrong.push_back(count_text(acknowledged_.size() - result.answered) + " of " +
                        count_text(acknowledged_.size()) +
                        " acknowledged items were not read back as they were stored: " + result.first_error);
  }

  const ServerUnderTest& server_;
  const BenchOfficeOptions& options_;
  std::vector<OfficeAct> acts_;
  std::uint64_t first_;
  std::vector<std::string>& tokens_;
  std::vector<Item> asked_;          // by number of the act
  std::vector<Item> acknowledged_;
  std::map<OfficeKind, Histogram> times_;
  std::uint64_t stored_bytes_ = 0;
};

}  // namespace

Result<CellRun> run_office_day(const ServerUnderTest& server, Office& office,
                               const BenchOfficeOptions& options) {
  return Day(server, office, options).run();
}

}  // namespace pollux
