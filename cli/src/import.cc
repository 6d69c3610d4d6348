// `pollux import FILE.ics|FILE.vcf`
#include <algorithm>
#include <condition_variable>
#include <expected>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>

#include "commands.h"
#include "exit_codes.h"
#include "groupware_client.h"
#include "ics_split.h"
#include "pollux/core/hash.h"
#include "pollux/groupware/calendar_check.h"
#include "pollux/groupware/card_check.h"
#include "terminal.h"
#include "vcf_split.h"

namespace pollux {

namespace {

constexpr std::size_t file_bytes_max = 256u << 20;
constexpr std::size_t outstanding_max = 32;
constexpr std::size_t plain_name_bytes_max = 128;

Result<std::string> read_file(const std::string& name) {
  std::ifstream file;
  if (name != "-") {
    file.open(name, std::ios::binary);
    if (!file.is_open()) return fail(Code::invalid_argument, "the file " + name + " can't be read");
  }
  std::istream& in = name == "-" ? std::cin : file;
  std::string bytes;
  char part[65536];
  while (in.read(part, sizeof part), in.gcount() > 0) {
    bytes.append(part, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > file_bytes_max)
      return fail(Code::too_large, name + " is larger than 256 MiB; split it");
  }
  if (in.bad())
    return fail(Code::invalid_argument, "the file " + name + " can't be read (is it a directory?)");
  return bytes;
}

/// Where the items go, and what they are.
struct Target {
  std::string user, collection;
  bool cards = false;

  [[nodiscard]] DavSpace space() const { return cards ? DavSpace::contacts : DavSpace::calendars; }
  [[nodiscard]] std::string_view kind() const { return cards ? "address book" : "calendar"; }
  [[nodiscard]] std::string_view part() const { return cards ? "card" : "component"; }
};

/// The item's name in the collection: from its UID, so that importing a file again replaces what it brought.
std::string item_name(const std::string& uid, std::string_view ending) {
  const bool plain = uid.size() <= plain_name_bytes_max && std::ranges::all_of(uid, [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              c == '-' || c == '_' || c == '@' || c == '.';
                     });
  if (plain && !uid.starts_with('.')) return uid + std::string(ending);
  return to_string(chain_hash(Hash{}, uid)).substr(0, 40) + std::string(ending);
}

std::string numbers_text(const IcsObject& object, std::string_view part) {
  std::string out = std::string(part) + (object.numbers.size() == 1 ? " " : "s ");
  for (std::size_t i = 0; i < object.numbers.size() && i < 5; ++i) {
    out += (i == 0 ? "" : ", ") + std::to_string(object.numbers[i]);
  }
  return out + (object.numbers.size() > 5 ? " ..." : "");
}

/// Puts the objects, several outstanding at a time, and reports those that were refused.
class Importer {
 public:
  Importer(GroupwareClient& client, Target target) : client_(client), target_(std::move(target)) {}

  void run(const std::vector<IcsObject>& objects) {
    ProgressLine progress("importing");
    for (std::size_t i = 0; i < objects.size() && !given_up(); ++i) {
      progress.at(i, objects.size());
      put(objects[i], item_name(objects[i].uid, target_.cards ? ".vcf" : ".ics"), true);
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return outstanding_ == 0; });
    // An item of that UID has another name: it is the one to replace.
    std::vector<std::pair<const IcsObject*, std::string>> renamed;
    renamed.swap(renamed_);
    lock.unlock();
    for (const auto& [object, name] : renamed) put(*object, name, false);
    lock.lock();
    changed_.wait(lock, [&] { return outstanding_ == 0; });
  }

  std::size_t created = 0, replaced = 0, refused = 0;
  Error fatal;  ///< the pair does not answer, or there is no such calendar: nothing more was tried

 private:
  [[nodiscard]] bool given_up() {
    const std::scoped_lock lock(mutex_);
    return fatal.code != Code::ok;
  }

  void refuse(const IcsObject& object, const std::string& why) {
    ++refused;
    complain(numbers_text(object, target_.part()) + " (line " + std::to_string(object.line) + ", UID " +
             printable(object.uid) + ") not imported: " + printable(with_file_lines(why, object.lines)));
  }

  void put(const IcsObject& object, const std::string& name, bool may_rename) {
    PutItem request{.caller = {target_.user, 0},
                    .path = {target_.space(), target_.user, {target_.collection, name}},
                    .when = {},
                    .content = object.content,
                    .content_type = {},
                    .uid = {},
                    .component = {}};
    const auto checked = target_.cards ? describe_card(object, request) : describe_event(object, request);
    std::unique_lock lock(mutex_);
    if (!checked) return refuse(object, checked.error());
    changed_.wait(lock, [&] { return outstanding_ < outstanding_max; });
    ++outstanding_;
    lock.unlock();
    client_.requester().call_async(
        encode(GroupwareRequest{request}),
        [this, &object, may_rename](const CallResult& result) { on_answer(object, may_rename, result); });
  }

  static std::expected<void, std::string> describe_event(const IcsObject& object, PutItem& request) {
    const auto checked = check_calendar(object.content);
    if (!checked) return std::unexpected(checked.error().text);
    request.content_type = "text/calendar; charset=utf-8";
    request.uid = checked->uid;
    request.component = checked->component;
    const CalendarTimes times = calendar_times(object.content);
    request.first_s = times.first_s;
    request.last_s = times.last_s;
    return {};
  }
  static std::expected<void, std::string> describe_card(const IcsObject& object, PutItem& request) {
    auto checked = check_card(object.content);
    if (!checked) return std::unexpected(std::move(checked.error().text));
    request.content_type = "text/vcard; charset=utf-8";
    request.uid = std::move(checked->uid);
    request.component = "VCARD";
    return {};
  }

  void on_answer(const IcsObject& object, bool may_rename, const CallResult& result) {
    const std::scoped_lock lock(mutex_);
    --outstanding_;
    changed_.notify_all();
    if (!result) {
      fatal = error_of(result.error(), client_.pair());
      return refuse(object, fatal.text);
    }
    if (result->code == Code::ok) {
      const Result<Stored> stored = decode_groupware_reply<Stored>(result->payload);
      ++(stored && stored->created ? created : replaced);
      return;
    }
    const Result<Refusal> refusal = decode_groupware_reply<Refusal>(result->payload);
    if (!refusal) return refuse(object, std::string(to_string(result->code)));
    if (refusal->reason == RefusalReason::uid_conflict && may_rename && !refusal->name.empty()) {
      renamed_.emplace_back(&object, refusal->name);
      return;
    }
    if (refusal->reason == RefusalReason::no_parent) fatal = {Code::not_found, refusal->text};
    refuse(object, refusal->text);
  }

  GroupwareClient& client_;
  const Target target_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t outstanding_ = 0;
  std::vector<std::pair<const IcsObject*, std::string>> renamed_;
};

}  // namespace

int run_import(const Globals& globals, const ImportOptions& options) {
  const Result<std::string> file = read_file(options.file);
  if (!file) return fail_with(file.error());
  if (file->find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail_with({Code::invalid_argument, options.file + " is empty: nothing was imported"});
  }
  const Result<Located> located = locate_running(globals);
  if (!located) return fail_with(located.error());
  Result<GroupwareClient> client = GroupwareClient::open(located->config, options.pair);
  if (!client) return fail_with(client.error());
  const Result<std::string> user = client->choose_user(options.user);
  if (!user) return fail_with(user.error());
  const bool cards = is_card_file(*file);
  const Target target{*user, cards ? options.book : options.calendar, cards};
  const ListResources there{
      .caller = {*user, 0}, .path = {target.space(), *user, {target.collection}}, .depth = 0, .after = {}};
  if (const Result<Listing> collection = client->ask<Listing>(there); !collection) {
    return fail_with({collection.error().code, "the " + std::string(target.kind()) + " \"" +
                                                   target.collection + "\" of " + *user +
                                                   " can't be used: " + collection.error().text});
  }

  prepare_calendar_library();
  const IcsSplit split = cards ? split_cards(*file) : split_calendar(*file);
  for (const IcsFault& fault : split.faults) {
    complain((fault.number == 0 ? std::string("line ") + std::to_string(fault.line)
                                : std::string(target.part()) + " " + std::to_string(fault.number) +
                                      " (line " + std::to_string(fault.line) + ")") +
             ": " + printable(fault.text));
  }
  Importer importer(*client, target);
  importer.run(split.objects);
  const std::size_t done = importer.created + importer.replaced;
  print(std::to_string(done) + " items imported into " + *user + "/" + target.collection + " (" +
        std::to_string(importer.created) + " new, " + std::to_string(importer.replaced) + " replaced)" +
        (done == split.objects.size() && split.faults.empty()
             ? ""
             : "; " + std::to_string(split.objects.size() - done + split.faults.size()) +
                   " not, as said above"));
  if (importer.fatal.code != Code::ok) return fail_with(importer.fatal);
  if (split.components == 0)
    return fail_with({Code::invalid_argument, options.file + " holds no event, task, journal or vCard: nothing was imported"});
  return done == split.objects.size() && split.faults.empty() ? Exit::ok : Exit::failed;
}

}  // namespace pollux
