#include <fcntl.h>
#include <lmdb.h>
#include <unistd.h>

#include <cstring>

#include "disk/disk_plan.h"

namespace pollux {

namespace {

constexpr std::size_t map_bytes = 16ULL << 30;  // reserved, sparse

class LmdbFile : public DiskFile {
 public:
  LmdbFile(const std::filesystem::path& directory, const DiskCell& cell)
      : path_(directory / "keyed"), cell_(cell) {}
  ~LmdbFile() override {
    mdb_env_close(env_);
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  LmdbFile(const LmdbFile&) = delete;
  LmdbFile& operator=(const LmdbFile&) = delete;

  Result<void> prepare(std::uint64_t records) override {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) return fail(Code::io_error, "can't make " + path_.string() + ": " + error.message());
    if (auto opened = reopen(); !opened) return opened;
    MDB_txn* txn = nullptr;
    int code = mdb_txn_begin(env_, nullptr, 0, &txn);
    if (code == 0) code = mdb_dbi_open(txn, nullptr, MDB_INTEGERKEY | MDB_CREATE, &dbi_);
    for (std::uint64_t n = 0; code == 0 && n < records; ++n) code = put(txn, n, MDB_APPEND);
    if (code == 0) code = mdb_txn_commit(txn);
    if (code == 0) code = mdb_env_sync(env_, 1);
    return code == 0 ? Result<void>() : failed("fill", code);
  }

  Result<bool> read(std::uint64_t n) override {
    MDB_txn* txn = nullptr;
    int code = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
    MDB_val key{sizeof n, &n}, value{};
    if (code == 0) code = mdb_get(txn, dbi_, &key, &value);
    const bool right = code == 0 && value.mv_size == disk_record_bytes &&
                       std::memcmp(value.mv_data, disk_record(n).data(), 20) == 0;
    if (txn != nullptr) mdb_txn_abort(txn);
    if (code != 0) return failed("read", code);
    return right;
  }

  Result<void> write(const std::vector<std::uint64_t>& numbers) override {
    MDB_txn* txn = nullptr;
    int code = mdb_txn_begin(env_, nullptr, 0, &txn);
    for (const auto n : numbers) {
      if (code == 0) code = put(txn, n, 0);
    }
    code = code == 0 ? mdb_txn_commit(txn) : (mdb_txn_abort(txn), code);
    return code == 0 ? Result<void>() : failed("write", code);
  }

  Result<void> cool_down() override {
    // Pages of a map stay as long as the map does.
    mdb_env_sync(env_, 1);
    mdb_env_close(env_);
    env_ = nullptr;
    const int fd = open((path_ / "data.mdb").c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
      close(fd);
    }
    return reopen();
  }

 private:
  Result<void> reopen() {
    int code = mdb_env_create(&env_);
    if (code == 0) code = mdb_env_set_mapsize(env_, map_bytes);
    const unsigned flags = MDB_NORDAHEAD | (cell_.write && cell_.sync == DiskSync::none ? MDB_NOSYNC : 0U);
    if (code == 0) code = mdb_env_open(env_, path_.c_str(), flags, 0600);
    if (code != 0) return failed("open", code);
    if (dbi_ == 0) return {};
    MDB_txn* txn = nullptr;
    code = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
    if (code == 0) code = mdb_dbi_open(txn, nullptr, MDB_INTEGERKEY, &dbi_);
    if (txn != nullptr) mdb_txn_commit(txn);
    return code == 0 ? Result<void>() : failed("open", code);
  }
  int put(MDB_txn* txn, std::uint64_t n, unsigned flags) {
    auto record = disk_record(n);
    MDB_val key{sizeof n, &n}, value{record.size(), record.data()};
    return mdb_put(txn, dbi_, &key, &value, flags);
  }
  [[nodiscard]] std::unexpected<Error> failed(const std::string& what, int code) const {
    return fail(code == ENOSPC ? Code::disk_full : Code::io_error,
                "can't " + what + " " + path_.string() + ": " + mdb_strerror(code));
  }
  const std::filesystem::path path_;
  const DiskCell cell_;
  MDB_env* env_ = nullptr;
  MDB_dbi dbi_ = 0;
};

}  // namespace

std::unique_ptr<DiskFile> open_lmdb_file(const std::filesystem::path& directory, const DiskCell& cell) {
  return std::make_unique<LmdbFile>(directory, cell);
}

}  // namespace pollux
