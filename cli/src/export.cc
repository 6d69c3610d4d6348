// `pollux export NAME`: a whole calendar as one .ics file, a whole address book as one .vcf file
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "commands.h"
#include "exit_codes.h"
#include "groupware_client.h"
#include "ics_split.h"
#include "terminal.h"

namespace pollux {

namespace {

constexpr std::size_t outstanding_max = 32;
constexpr std::size_t write_bytes = 64u << 10;

/// Where the export goes: standard output, or a file that is there whole or not at all.
class Output {
 public:
  static Result<Output> open(const std::string& name) {
    Output out;
    out.name_ = name;
    if (name.empty() || name == "-") return out;
    out.part_ = name + ".part";
    out.file_ = std::fopen(out.part_.c_str(), "wbe");
    if (out.file_ == nullptr) return out.failed("open");
    ::fchmod(::fileno(out.file_), 0600);  // what is in it is nobody else's business
    return out;
  }
  Output(Output&& other) noexcept
      : file_(std::exchange(other.file_, nullptr)),
        name_(std::move(other.name_)),
        part_(std::exchange(other.part_, {})) {}
  Output& operator=(Output&&) = delete;
  ~Output() {
    if (file_ != nullptr) std::fclose(file_);
    if (!part_.empty()) ::unlink(part_.c_str());
  }

  Result<void> write(std::string_view text) {
    FILE* to = file_ != nullptr ? file_ : stdout;
    if (std::fwrite(text.data(), 1, text.size(), to) == text.size()) return {};
    return failed("write");
  }
  Result<void> finish() {
    if (std::fflush(file_ != nullptr ? file_ : stdout) != 0) return failed("write");
    if (file_ == nullptr) return {};
    if (::fsync(::fileno(file_)) != 0) return failed("write");
    if (std::fclose(std::exchange(file_, nullptr)) != 0) return failed("write");
    if (std::rename(part_.c_str(), name_.c_str()) != 0) return failed("rename");
    part_.clear();
    return {};
  }

 private:
  Output() = default;
  [[nodiscard]] std::unexpected<Error> failed(const char* what) const {
    return fail(Code::io_error, "can't " + std::string(what) + " " +
                                    (part_.empty() ? std::string("to standard output") : part_) + ": " +
                                    std::strerror(errno));
  }

  FILE* file_ = nullptr;  ///< null: standard output
  std::string name_, part_;
};

/// Puts calendar objects together: one VCALENDAR, time zones once. An object whose zones or properties of the
/// whole don't go together with those before begins another VCALENDAR (RFC 5545, 3.4), so nothing is lost.
class CalendarWriter {
 public:
  std::string add(std::string_view object) {
    IcsParts parts = take_apart(object);
    std::string out;
    if (!open_ || parts.head != head_ || conflicts(parts)) {
      out = end();
      open_ = true;
      head_ = parts.head;
      zones_.clear();
      out += "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Pollux//export//EN\r\n" + head_;
    }
    for (auto& [id, zone] : parts.zones) {
      if (zones_.emplace(id, zone).second) out += zone;
    }
    return out += parts.components;
  }
  /// An empty calendar is a VCALENDAR, too.
  std::string end() {
    if (!std::exchange(open_, false)) return {};
    return "END:VCALENDAR\r\n";
  }

 private:
  [[nodiscard]] bool conflicts(const IcsParts& parts) const {
    for (const auto& [id, zone] : parts.zones) {
      const auto known = zones_.find(id);
      if (known != zones_.end() && known->second != zone) return true;
    }
    return false;
  }

  bool open_ = false;
  std::string head_;
  std::map<std::string, std::string> zones_;
};

/// Fetches items, several outstanding at a time, and gives them back in the order they were asked for.
class Fetcher {
 public:
  explicit Fetcher(GroupwareClient& client) : client_(client) {}
  ~Fetcher() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return outstanding_ == 0; });
  }

  [[nodiscard]] bool full() const { return asked_.size() >= outstanding_max; }
  [[nodiscard]] bool empty() const { return asked_.empty(); }
  void ask(const GetItem& item) {
    asked_.push_back(std::make_shared<std::optional<CallResult>>());
    {
      const std::scoped_lock lock(mutex_);
      ++outstanding_;
    }
    client_.requester().query_async(encode(GroupwareQuery{item}),
                                    [this, into = asked_.back()](CallResult result) {
                                      const std::scoped_lock lock(mutex_);
                                      *into = std::move(result);
                                      --outstanding_;
                                      changed_.notify_all();
                                    });
  }
  /// The oldest one; none if it was deleted meanwhile.
  Result<std::optional<Item>> next() {
    const auto first = asked_.front();
    asked_.pop_front();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return first->has_value(); });
    const CallResult result = std::move(**first);
    lock.unlock();
    const Result<std::string> payload = client_.finish(result);
    if (!payload) {
      if (payload.error().code == Code::not_found) return std::nullopt;
      return std::unexpected(payload.error());
    }
    Result<Item> item = decode_groupware_reply<Item>(*payload);
    if (!item) return std::unexpected(item.error());
    return std::move(*item);
  }

 private:
  GroupwareClient& client_;
  std::deque<std::shared_ptr<std::optional<CallResult>>> asked_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t outstanding_ = 0;
};

struct Place {
  ResourcePath path;
  std::uint64_t items = 0;
};

Result<Listing> list(GroupwareClient& client, const ResourcePath& path, const std::string& user,
                     std::uint32_t depth, const std::string& after) {
  return client.ask<Listing>(
      ListResources{.caller = {user, 0}, .path = path, .depth = depth, .after = after});
}

/// NAME is a calendar, or else an address book; calendars/NAME and contacts/NAME say which.
Result<Place> find(GroupwareClient& client, const std::string& user, const std::string& name) {
  constexpr std::string_view calendars = "calendars/", contacts = "contacts/";
  std::vector<ResourcePath> candidates;
  if (name.starts_with(calendars)) {
    candidates = {{DavSpace::calendars, user, {name.substr(calendars.size())}}};
  } else if (name.starts_with(contacts)) {
    candidates = {{DavSpace::contacts, user, {name.substr(contacts.size())}}};
  } else {
    candidates = {{DavSpace::calendars, user, {name}}, {DavSpace::contacts, user, {name}}};
  }
  for (const ResourcePath& path : candidates) {
    const Result<Listing> listing = list(client, path, user, 0, "");
    if (listing) {
      const auto* collection = std::get_if<CollectionInfo>(&listing->self);
      if (collection != nullptr) return Place{path, collection->items};
    } else if (listing.error().code != Code::not_found) {
      return std::unexpected(listing.error());
    }
  }
  return fail(Code::not_found, user + " has no calendar or address book \"" + name + "\"");
}

struct Exporter {
  GroupwareClient& client;
  Output& output;
  const std::string& user;
  Place place;
  CalendarWriter calendar;
  std::string waiting;  ///< to be written
  std::uint64_t items = 0;

  [[nodiscard]] bool is_calendar() const { return place.path.space == DavSpace::calendars; }

  Result<void> add(const std::string& content) {
    if (is_calendar()) {
      waiting += calendar.add(content);
    } else {
      waiting += content;
      if (!content.ends_with('\n')) waiting += "\r\n";
    }
    ++items;
    if (waiting.size() < write_bytes) return {};
    return output.write(std::exchange(waiting, {}));
  }

  Result<void> run() {
    ProgressLine progress("exporting");
    Fetcher fetcher(client);
    const auto take = [&]() -> Result<void> {
      auto item = fetcher.next();
      if (!item) return std::unexpected(item.error());
      progress.at(items, std::max(place.items, items));
      return *item ? add((*item)->content) : Result<void>();
    };
    for (std::string after;;) {
      Result<Listing> page = list(client, place.path, user, 1, after);
      if (!page) return std::unexpected(page.error());
      for (const Resource& child : page->children) {
        const auto* info = std::get_if<ItemInfo>(&child);
        if (info == nullptr) continue;
        if (fetcher.full()) {
          if (Result<void> taken = take(); !taken) return taken;
        }
        GetItem get{.caller = {user, 0}, .path = place.path, .when = {}, .modified_since_s = {}};
        get.path.names.push_back(info->name);
        fetcher.ask(get);
      }
      if (!page->more) break;
      after = page->last;
    }
    while (!fetcher.empty()) {
      if (Result<void> taken = take(); !taken) return taken;
    }
    if (is_calendar()) {
      if (items == 0)
        waiting += "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Pollux//export//EN\r\nEND:VCALENDAR\r\n";
      waiting += calendar.end();
    }
    if (Result<void> written = output.write(waiting); !written) return written;
    return output.finish();
  }
};

}  // namespace

int run_export(const Globals& globals, const ExportOptions& options) {
  const Result<Located> located = locate_running(globals);
  if (!located) return fail_with(located.error());
  Result<GroupwareClient> client = GroupwareClient::open(located->config, options.pair);
  if (!client) return fail_with(client.error());
  const Result<std::string> user = client->choose_user(options.user);
  if (!user) return fail_with(user.error());
  const Result<Place> place = find(*client, *user, options.name);
  if (!place) return fail_with(place.error());
  Result<Output> output = Output::open(options.output);
  if (!output) return fail_with(output.error());
  Exporter exporter{*client, *output, *user, *place, {}, {}, 0};
  if (Result<void> done = exporter.run(); !done) return fail_with(done.error());
  // Standard output may be the file itself.
  complain(std::to_string(exporter.items) + " items of " + *user + "/" + place->path.names.front() +
           " exported");
  return Exit::ok;
}

}  // namespace pollux
