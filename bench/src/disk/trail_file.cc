#include <fcntl.h>
#include <unistd.h>

#include "disk/disk_plan.h"
#include "pollux/audit/trail.h"
#include "pollux/proto/record_codec.h"

namespace pollux {

namespace {

class TrailFile : public DiskFile {
 public:
  explicit TrailFile(const std::filesystem::path& directory) : path_(directory / "trail") {}
  ~TrailFile() override {
    trail_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TrailFile(const TrailFile&) = delete;
  TrailFile& operator=(const TrailFile&) = delete;

  Result<void> prepare(std::uint64_t records) override {
    if (auto opened = reopen(); !opened) return opened;
    constexpr std::uint64_t records_at_once = 10'000;
    for (std::uint64_t n = 0; n < records;) {
      std::vector<std::uint64_t> numbers;
      for (; n < records && numbers.size() < records_at_once; ++n) numbers.push_back(n);
      if (auto written = write(numbers); !written) return written;
    }
    return {};
  }

  Result<bool> read(std::uint64_t n) override {
    auto record = trail_->read(Lsn{n + 1});
    if (!record) return std::unexpected(record.error());
    return (*record)->position().lsn == Lsn{n + 1};
  }

  Result<void> write(const std::vector<std::uint64_t>& numbers) override {
    std::vector<RecordPtr> records;
    records.reserve(numbers.size());
    auto last = trail_->last();
    for (const auto n : numbers) {
      Record record;
      record.lsn = last.lsn.next();
      record.epoch = Epoch{1};
      record.sync = {.session = {}, .seq = record.lsn.value};
      record.changes.push_back({.key = "record", .value = disk_record(n)});
      records.push_back(seal(std::move(record), last.hash));
      last = records.back()->position();
    }
    return trail_->append(records);
  }

  Result<void> cool_down() override {
    trail_.reset();
    const int fd = open((path_ / "data.mdb").c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
      close(fd);
    }
    return reopen();
  }

 private:
  Result<void> reopen() {
    auto trail = open_lmdb_trail({.directory = path_, .check_pages = false});
    if (!trail) return std::unexpected(trail.error());
    trail_ = std::move(*trail);
    return {};
  }
  const std::filesystem::path path_;
  std::unique_ptr<Trail> trail_;
};

}  // namespace

std::unique_ptr<DiskFile> open_trail_file(const std::filesystem::path& directory, const DiskCell&) {
  return std::make_unique<TrailFile>(directory);
}

}  // namespace pollux
