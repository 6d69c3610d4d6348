#include "housekeeper.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <utility>

#include "clocks.h"
#include "text.h"
#include "thread_name.h"

namespace pollux {
namespace {

/// Retention works for at most one part in so many of the time, so that appends are not held up.
constexpr int retention_share = 4;
/// A disk that was full counts as full until it is this much below the limit: no flapping.
constexpr double full_hysteresis_percent = 1;

}  // namespace

Result<DiskUse> disk_use(const std::filesystem::path& directory) {
  struct statvfs status {};
  if (::statvfs(directory.c_str(), &status) != 0) return fail_errno(cat("can't ask how full ", directory, " is"), errno);
  DiskUse use;
  use.bytes_total = status.f_blocks * status.f_frsize;
  use.bytes_free = status.f_bavail * status.f_frsize;
  const double used = static_cast<double>(status.f_blocks - status.f_bfree);
  const double usable = used + static_cast<double>(status.f_bavail);
  use.bytes_usable = std::max<std::uint64_t>((status.f_blocks - status.f_bfree + status.f_bavail) * status.f_frsize, 1);
  if (usable > 0) use.percent = 100 * used / usable;
  return use;
}

namespace {

std::uint64_t free_pages_bytes(const std::filesystem::path& environment, std::uint64_t bytes_used) {
  struct stat status {};
  if (::stat((environment / "data.mdb").c_str(), &status) != 0) return 0;
  constexpr std::uint64_t bytes_a_block = 512;
  const std::uint64_t allocated = static_cast<std::uint64_t>(status.st_blocks) * bytes_a_block;
  return allocated > bytes_used ? allocated - bytes_used : 0;
}

}  // namespace

std::uint64_t reusable_bytes(const std::filesystem::path& member, const Trail& trail, const Tables& tables) {
  return std::min(free_pages_bytes(member / "trail", trail.stats().bytes_used),
                  free_pages_bytes(member / "tables", tables.stats().bytes_used));
}

void Housekeeper::start() {
  thread_ = std::thread([this] {
    name_this_thread("housekeeper");
    run();
  });
}

void Housekeeper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Housekeeper::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return stopping_; });
}

void Housekeeper::run() {
  do {
    look_at_disk();
    scrub();
    const Instant began = steady_now();
    while (retain() && steady_now() - began < options_.round) {
      const auto worked = std::chrono::ceil<std::chrono::milliseconds>(steady_now() - began);
      if (!wait(worked * (retention_share - 1))) return;
    }
  } while (wait(options_.round));
}

void Housekeeper::look_at_disk() {
  const auto use = disk_use(options_.directory);
  if (!use) {
    if (!std::exchange(disk_failed_, true)) parts_.log.error(use.error().text);
    return;
  }
  disk_failed_ = false;
  const auto percent = static_cast<int>(use->percent);
  const bool warn = use->percent >= options_.warn_percent;
  if (warn && !warned_) {
    parts_.log.warning(cat("the disk of ", options_.directory, " is ", percent, " % full; at ",
                           static_cast<int>(options_.full_percent), " % only what frees space is executed"));
  }
  warned_ = warn;
  if (!warn && !full_) return;
  // Room in our own files counts for the first mark: deletions and retention make it. Not for the second: it may be in
  // pieces, and a write that finds none ends this member.
  const auto reusable = reusable_bytes(options_.directory, parts_.trail, parts_.state.tables());
  const double kept = use->percent - 100 * static_cast<double>(reusable) / static_cast<double>(use->bytes_usable);
  const auto above = [](double value, double mark, bool before) {
    return value >= mark - (before ? full_hysteresis_percent : 0);
  };
  const bool exhausted = above(use->percent, options_.stop_percent, exhausted_);
  const DiskPressure pressure{.full = exhausted || above(kept, options_.full_percent, full_), .exhausted = exhausted};
  const bool news = pressure.full != full_ || pressure.exhausted != exhausted_;
  full_ = pressure.full;
  exhausted_ = pressure.exhausted;
  if (news) parts_.inbox.post(Event{pressure});
}

void Housekeeper::scrub() {
  for (std::size_t i = 0; i < options_.scrub_records; ++i) {
    const Lsn first = parts_.trail.base().lsn.next(), last = std::min(parts_.trail.last().lsn, parts_.state.committed());
    if (last < first) return;
    const bool begin_anew = scrubbed_ >= last || scrubbed_ < first;
    if (begin_anew && i > 0) return;  // a short trail is read once a round, not over and over
    scrubbed_ = begin_anew ? first : scrubbed_.next();
    const auto record = parts_.trail.read(scrubbed_);
    parts_.counters.records_scrubbed.fetch_add(1, std::memory_order_relaxed);
    if (record || record.error().code != Code::damaged) continue;
    parts_.counters.damage_found.fetch_add(1, std::memory_order_relaxed);
    parts_.log.error(record.error().text);
    parts_.inbox.post(Event{DamageFound{scrubbed_}});
  }
}

bool Housekeeper::retain() {
  const Lsn removable = std::min(parts_.state.applied(), parts_.state.committed());
  const WallTime now = read_clocks().wall;
  Result<bool> more = retention_.copy(parts_.trail, removable, now);
  if (more) {
    DropOldRecords drop{.retention = &retention_, .done = {}};
    auto dropped = drop.done.get_future();
    parts_.forcer.give(std::move(drop));
    try {
      const Result<bool> more_to_drop = dropped.get();
      more = more_to_drop ? Result<bool>(*more || *more_to_drop) : more_to_drop;
    } catch (const std::future_error&) {
      return false;  // the forcer has ended, or writes no more
    }
  }
  if (more) {
    if (*more) parts_.counters.retention_steps.fetch_add(1, std::memory_order_relaxed);
    retention_failed_ = false;
    return *more;
  }
  // An archive that can't be written leaves the records where they are: that is no reason to stop.
  if (!std::exchange(retention_failed_, true)) {
    parts_.log.error(cat("old records can't leave the trail: ", more.error().text));
  }
  return false;
}

}  // namespace pollux
