#include "quarantine.h"

#include <algorithm>
#include <sstream>

#include "file_io.h"
#include "text.h"

namespace pollux {
namespace {
constexpr const char* first_line = "pollux quarantine 1";
}

Result<std::unique_ptr<Quarantine>> Quarantine::open(const std::filesystem::path& directory) {
  std::unique_ptr<Quarantine> quarantine(new Quarantine(directory / "quarantine"));
  const auto content = read_small_file(quarantine->file_);
  if (!content && content.error().code == Code::not_found) return quarantine;
  if (!content) return std::unexpected(content.error());

  const auto damaged = [&](std::size_t number) {
    return fail(Code::damaged, cat(quarantine->file_, ", line ", number,
                                   ": not understood; move the file away to let its requests be tried again"));
  };
  std::istringstream lines(*content);
  std::string line;
  std::size_t number = 1;
  if (!std::getline(lines, line) || line != first_line) return damaged(number);
  while (std::getline(lines, line)) {
    ++number;
    std::istringstream words(line);
    std::string session, verdict, more;
    Entry entry;
    if (!(words >> session >> entry.sync.seq >> verdict) || (words >> more)) return damaged(number);
    if (!parse_id(session, &entry.sync.session)) return damaged(number);
    if (verdict != "quarantined" && verdict != "suspect") return damaged(number);
    entry.certain = verdict == "quarantined";
    quarantine->entries_.push_back(entry);
  }
  quarantine->empty_ = quarantine->entries_.empty();
  return quarantine;
}

Result<void> Quarantine::add(const InterruptedRequest& request) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(entries_, request.sync, &Entry::sync);
  if (known != entries_.end()) {
    known->certain = true;  // twice is proof enough
  } else {
    if (entries_.size() == entries_max) entries_.erase(entries_.begin());
    entries_.push_back({request.sync, request.guilty});
  }
  return store();
}

Result<void> Quarantine::settle(const SessionTable& sessions) {
  const std::lock_guard lock(mutex_);
  const auto removed = std::erase_if(entries_, [&](const Entry& entry) {
    const Session* session = sessions.find(entry.sync.session);
    return session == nullptr || entry.sync.seq < session->ack_below || session->replies.contains(entry.sync.seq);
  });
  return removed == 0 ? Result<void>{} : store();
}

Result<void> Quarantine::settle(const std::vector<RecordPtr>& records) {
  if (empty_.load(std::memory_order_relaxed)) return {};
  const std::lock_guard lock(mutex_);
  const auto settles = [&](const RecordView& record, const Entry& entry) {
    return record.kind == RecordKind::session_closed ? record.sync.session == entry.sync.session
                                                     : record.sync == entry.sync;
  };
  const auto removed = std::erase_if(entries_, [&](const Entry& entry) {
    return std::ranges::any_of(records, [&](const RecordPtr& each) { return settles(each->record, entry); });
  });
  return removed == 0 ? Result<void>{} : store();
}

std::vector<SyncId> Quarantine::quarantined() const {
  const std::lock_guard lock(mutex_);
  std::vector<SyncId> list;
  for (const Entry& entry : entries_) {
    if (entry.certain) list.push_back(entry.sync);
  }
  return list;
}

Result<void> Quarantine::store() {
  empty_.store(entries_.empty(), std::memory_order_relaxed);
  std::string content = cat(first_line, "\n");
  for (const Entry& entry : entries_) {
    content += cat(to_string(entry.sync.session), " ", entry.sync.seq, entry.certain ? " quarantined\n" : " suspect\n");
  }
  return write_durably(file_, content);
}

}  // namespace pollux
