#include <algorithm>
#include <charconv>
#include <optional>

#include "files.h"
#include "pollux/audit/archive.h"
#include "pollux/core/check.h"

namespace pollux {
namespace {

constexpr std::size_t read_bytes = 1u << 20;
constexpr std::string_view archive_suffix = ".pollux-archive";
constexpr std::size_t lsn_digits = 20;

struct ArchiveFile {
  Lsn first, last;
  std::filesystem::path path;
};

/// From its name; none if it is no archive's name.
std::optional<ArchiveFile> parse_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (name.size() != 2 * lsn_digits + 1 + archive_suffix.size() || !name.ends_with(archive_suffix))
    return std::nullopt;
  ArchiveFile file{.first = {}, .last = {}, .path = path};
  const char* const begin = name.data();
  const auto first = std::from_chars(begin, begin + lsn_digits, file.first.value);
  const auto last = std::from_chars(begin + lsn_digits + 1, begin + 2 * lsn_digits + 1, file.last.value);
  if (first.ec != std::errc{} || last.ec != std::errc{} || first.ptr != begin + lsn_digits ||
      *first.ptr != '-' || last.ptr != begin + 2 * lsn_digits + 1) {
    return std::nullopt;
  }
  return file;
}

std::string make_name(Lsn first, Lsn last) {
  const auto padded = [](Lsn lsn) {
    const std::string digits = std::to_string(lsn.value);
    return std::string(lsn_digits - digits.size(), '0') + digits;
  };
  return padded(first) + "-" + padded(last) + std::string(archive_suffix);
}

}  // namespace

struct Retention::State {
  RetentionOptions options;
  bool far = true;                      // copy all that may leave some day, not only what is to leave now
  std::optional<ArchiveWriter> writer;  // the file being filled
  Lsn writer_base;
  std::filesystem::path writer_path;
  std::optional<Position> archived;  // all up to here is in complete files; none: not looked yet
  WallTime now;

  /// The LSN up to which records are to leave now: a portion at most, none if all is within the limits.
  [[nodiscard]] Result<std::optional<Lsn>> wanted(const Trail& trail, Lsn removable) const {
    const TrailStats stats = trail.stats();
    if (stats.records == 0 || removable <= stats.base.lsn) return std::nullopt;
    const Lsn portion = std::min({removable, stats.last.lsn, Lsn{stats.base.lsn.value + options.portion}});
    if (stats.bytes_used > options.trail_bytes_max) return portion;
    if (options.trail_age_max_s == 0) return std::nullopt;
    const auto kept_us =
        static_cast<std::int64_t>(std::min<std::uint64_t>(options.trail_age_max_s, 1ULL << 40)) * 1'000'000;
    const WallTime eldest{now.us - kept_us};
    if (stats.oldest >= eldest) return std::nullopt;
    // Times never go back along the trail: find the last record of the portion that is too old.
    Lsn low = stats.base.lsn.next();
    Lsn high = portion;
    while (low < high) {
      const Lsn middle{low.value + (high.value - low.value + 1) / 2};
      auto record = trail.read(middle);
      if (!record) return std::unexpected(record.error());
      if ((*record)->record.time < eldest) {
        low = middle;
      } else {
        high = middle.prev();
      }
    }
    return low;
  }

  /// What complete files hold of the records after the trail's base. Deletes what a crash left unfinished.
  Result<void> look(const Trail& trail) {
    if (auto made = make_directory(options.archive_directory); !made) return made;
    archived = trail.base();
    std::error_code failed;
    std::vector<ArchiveFile> files;
    for (const auto& entry : std::filesystem::directory_iterator(options.archive_directory, failed)) {
      if (entry.path().extension() == ".unfinished") {
        std::error_code ignored;
        std::filesystem::remove(entry.path(), ignored);
      } else if (auto file = parse_name(entry.path())) {
        files.push_back(std::move(*file));
      }
    }
    if (failed)
      return std::unexpected(
          system_error("cannot read " + options.archive_directory.string(), failed.value()));
    std::ranges::sort(files, {}, [](const ArchiveFile& file) { return file.first; });
    for (const ArchiveFile& file : files) {
      if (file.first > archived->lsn.next() || file.last <= archived->lsn) continue;
      // Only if it is whole, and of this history: a snapshot or a forced takeover may have changed that.
      auto reader = ArchiveReader::open(file.path);
      if (!reader || reader->last().lsn != file.last) continue;
      const auto ours = trail.hash_at(file.last);
      if (ours && *ours == reader->last().hash) archived = reader->last();
    }
    return {};
  }

  Result<void> finish_file() {
    auto last = writer->finish();
    writer.reset();
    if (!last) return std::unexpected(last.error());
    const auto named = options.archive_directory / make_name(writer_base.next(), last->lsn);
    std::error_code failed;
    std::filesystem::rename(writer_path, named, failed);
    if (failed) return std::unexpected(system_error("cannot name " + named.string(), failed.value()));
    if (auto synced = sync_directory(options.archive_directory); !synced) return synced;
    archived = *last;
    return limit_archives();
  }

  /// Deletes the oldest archives beyond the limit, never the newest one.
  Result<void> limit_archives() const {
    if (options.archive_bytes_max == 0) return {};
    std::vector<std::pair<ArchiveFile, std::uint64_t>> files;
    std::uint64_t total = 0;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(options.archive_directory, failed)) {
      auto file = parse_name(entry.path());
      if (!file) continue;
      const auto bytes = entry.file_size(failed);
      if (failed) break;
      total += bytes;
      files.emplace_back(std::move(*file), bytes);
    }
    if (failed)
      return std::unexpected(
          system_error("cannot read " + options.archive_directory.string(), failed.value()));
    std::ranges::sort(files, {}, [](const auto& file) { return file.first.last; });
    for (std::size_t i = 0; i + 1 < files.size() && total > options.archive_bytes_max; ++i) {
      std::filesystem::remove(files[i].first.path, failed);
      if (failed)
        return std::unexpected(system_error("cannot delete " + files[i].first.path.string(), failed.value()));
      total -= files[i].second;
    }
    return {};
  }

  /// True if the trail's history is no longer the one being archived (cut, snapshot).
  [[nodiscard]] static bool strayed(const Trail& trail, const Position& at) {
    if (at.lsn < trail.base().lsn) return true;
    const auto hash = trail.hash_at(at.lsn);
    return !hash || *hash != at.hash;
  }

  /// Copies at most a portion into the file being filled; finishes it when it is full or holds all up to
  /// `upto`.
  Result<bool> copy_portion(const Trail& trail, Lsn upto) {
    Position at = writer ? writer->last() : *archived;
    if (!writer) {
      writer_base = at.lsn;
      writer_path = options.archive_directory / "filling";
      auto made = ArchiveWriter::create(writer_path, at);
      if (!made) return std::unexpected(made.error());
      writer.emplace(std::move(*made));
    }
    for (std::size_t left = options.portion;
         left > 0 && at.lsn < upto && writer->bytes_raw() < options.archive_file_bytes;) {
      auto records = trail.read_after(at.lsn, read_bytes);
      if (!records) return std::unexpected(records.error());
      if (records->empty()) break;
      for (const auto& record : *records) {
        if (left == 0 || record->record.lsn > upto || writer->bytes_raw() >= options.archive_file_bytes)
          break;
        if (auto added = writer->add(record->record.lsn, record->bytes, record->hash); !added) {
          return std::unexpected(added.error());
        }
        at = record->position();
        --left;
      }
    }
    if (writer->bytes_raw() < options.archive_file_bytes && at.lsn < upto) return true;
    auto finished = finish_file();
    if (!finished) return std::unexpected(finished.error());
    return true;
  }
};

Retention::Retention(RetentionOptions options) : Retention(std::move(options), true) {}
Retention::Retention(RetentionOptions options, bool far) : state_(std::make_unique<State>()) {
  POLLUX_CHECK(options.portion > 0);
  state_->options = std::move(options);
  state_->far = far;
}
Retention::~Retention() = default;

Result<bool> Retention::copy(const Trail& trail, Lsn removable, WallTime now) {
  State& state = *state_;
  if (state.options.mode == RetentionMode::drop) return false;
  state.now = now;
  auto wanted = state.wanted(trail, removable);
  if (!wanted) return std::unexpected(wanted.error());
  if (!*wanted) return false;
  if (state.archived && (State::strayed(trail, *state.archived) ||
                         (state.writer && State::strayed(trail, state.writer->last())))) {
    state.writer.reset();
    state.archived.reset();
  }
  if (!state.archived) {
    if (auto looked = state.look(trail); !looked) return std::unexpected(looked.error());
  }
  if (state.archived->lsn >= **wanted) return false;  // to be dropped first
  auto more = state.copy_portion(trail, state.far ? std::min(removable, trail.last().lsn) : **wanted);
  if (!more) state.writer.reset();  // the file is begun anew next time
  return more;
}

Result<bool> Retention::drop(Trail& trail, Lsn removable, WallTime now) {
  State& state = *state_;
  state.now = now;
  auto wanted = state.wanted(trail, removable);
  if (!wanted) return std::unexpected(wanted.error());
  if (!*wanted) return false;
  Lsn upto = **wanted;
  if (state.options.mode == RetentionMode::archive) {
    if (!state.archived || State::strayed(trail, *state.archived)) return false;
    upto = std::min(upto, state.archived->lsn);
  }
  if (upto <= trail.base().lsn) return false;
  auto base = trail.drop_below(upto, state.options.portion);
  if (!base) return std::unexpected(base.error());
  auto still = state.wanted(trail, removable);
  if (!still) return std::unexpected(still.error());
  return still->has_value();
}

Result<bool> Retention::step(Trail& trail, Lsn removable, WallTime now) {
  // Dropping first: it makes room.
  auto dropped = drop(trail, removable, now);
  if (!dropped || *dropped) return dropped;
  return copy(trail, removable, now);
}

Result<bool> retention_step(Trail& trail, const RetentionOptions& options, Lsn removable, WallTime now) {
  Retention retention(options, false);
  auto copied = retention.copy(trail, removable, now);
  if (!copied) return copied;
  return retention.drop(trail, removable, now);
}

}  // namespace pollux
