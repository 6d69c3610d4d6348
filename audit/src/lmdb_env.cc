#include "lmdb_env.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "bytes.h"
#include "lmdb_pages.h"
#include "pollux/core/check.h"

namespace pollux {
namespace {
constexpr std::string_view format_key = "format";
const std::string restore_hint =
    "; while its peer serves, move this member's whole directory away and start it again: it then fetches "
    "everything from there";
}  // namespace

LmdbRead::~LmdbRead() {
  if (txn_ == nullptr) return;
  mdb_txn_reset(txn_);
  {
    const std::lock_guard lock(env_->idle_mutex_);
    if (env_->idle_readers_.size() < LmdbEnv::idle_readers_max) {
      env_->idle_readers_.push_back(txn_);
      return;
    }
  }
  mdb_txn_abort(txn_);
}

Result<void> LmdbRead::renew() {
  mdb_txn_reset(txn_);
  if (const int rc = mdb_txn_renew(txn_); rc != 0) return std::unexpected(env_->error(rc, "begin a read"));
  return {};
}

LmdbWrite::~LmdbWrite() {
  if (txn_ != nullptr) mdb_txn_abort(txn_);
}

Result<void> LmdbWrite::commit() {
  if (const int rc = mdb_txn_commit(std::exchange(txn_, nullptr)); rc != 0) return env_->poison(rc, "force");
  return {};
}

Result<std::unique_ptr<LmdbEnv>> LmdbEnv::open(const LmdbEnvOptions& options) {
  if (sodium_init() < 0) return fail(Code::io_error, "libsodium cannot be initialised on this host");
  if (auto made = make_directory(options.directory); !made) return std::unexpected(made.error());
  auto lock = DirectoryLock::take(options.directory);
  if (!lock) return std::unexpected(lock.error());
  std::unique_ptr<LmdbEnv> env(new LmdbEnv(options, std::move(*lock)));
  if (options.check_pages) {
    if (auto checked = check_lmdb_pages(options.directory / "data.mdb"); !checked) {
      return fail(checked.error().code, "the " + options.what + " in " + options.directory.string() +
                                            " is damaged: " + checked.error().text + restore_hint);
    }
  }
  if (auto opened = env->open_env(0); !opened) return std::unexpected(opened.error());
  if (auto checked = env->check_format(); !checked) return std::unexpected(checked.error());
  if (auto filled = env->prefill(); !filled) return std::unexpected(filled.error());
  // LMDB forces its files but not their names.
  if (auto synced = sync_directory(options.directory); !synced) return std::unexpected(synced.error());
  return env;
}

Result<std::unique_ptr<LmdbEnv>> LmdbEnv::open_beside(const LmdbEnvOptions& options) {
  if (sodium_init() < 0) return fail(Code::io_error, "libsodium cannot be initialised on this host");
  std::unique_ptr<LmdbEnv> env(new LmdbEnv(options, std::nullopt));
  if (auto opened = env->open_env(MDB_RDONLY); !opened) return std::unexpected(opened.error());
  if (auto checked = env->check_format_beside(); !checked) return std::unexpected(checked.error());
  return env;
}

Result<void> LmdbEnv::open_env(unsigned access) {
  struct stat data{};
  const bool exists = ::stat((options_.directory / "data.mdb").c_str(), &data) == 0;
  const auto map_needed =
      std::max<std::uint64_t>(map_bytes_min, exists ? static_cast<std::uint64_t>(data.st_size) : 0);
  unsigned flags = MDB_NOTLS | access;
  if (!options_.read_ahead) flags |= MDB_NORDAHEAD;
  // Address space can be limited (ulimit -v, sanitizers): take the largest map there is room for.
  for (std::uint64_t bytes = std::max(options_.map_bytes, map_needed);;
       bytes = std::max(bytes / 2, map_needed)) {
    if (const int rc = mdb_env_create(&env_); rc != 0) return std::unexpected(error(rc, "create"));
    int rc = mdb_env_set_mapsize(env_, bytes);
    if (rc == 0) rc = mdb_env_set_maxdbs(env_, databases_max);
    if (rc == 0) rc = mdb_env_set_maxreaders(env_, readers_max);
    if (rc == 0) rc = mdb_env_open(env_, options_.directory.c_str(), flags, 0600);
    if (rc == 0) break;
    mdb_env_close(env_);
    env_ = nullptr;
    if (rc == ENOMEM && bytes > map_needed) continue;
    if (rc == ENOMEM) {
      return fail(Code::io_error, "cannot reserve " + std::to_string(bytes) +
                                      " bytes of address space for the " + options_.what + " in " +
                                      options_.directory.string() + "; raise the limit (ulimit -v)");
    }
    return std::unexpected(error(rc, "open"));
  }
  return clear_dead_readers();
}

Result<void> LmdbEnv::clear_dead_readers() {
  int dead = 0;
  if (const int rc = mdb_reader_check(env_, &dead); rc != 0)
    return std::unexpected(error(rc, "clear stale readers of"));
  return {};
}

Result<void> LmdbEnv::check_format() {
  auto txn = write();
  if (!txn) return std::unexpected(txn.error());
  if (const int rc = mdb_dbi_open(txn->get(), "meta", MDB_CREATE, &meta_); rc != 0) return poison(rc, "open");
  auto found = get_meta(txn->get(), format_key);
  if (!found) return std::unexpected(found.error());
  if (!*found) {
    MDB_stat main{};
    MDB_dbi main_dbi = 0;
    int rc = mdb_dbi_open(txn->get(), nullptr, 0, &main_dbi);
    if (rc == 0) rc = mdb_stat(txn->get(), main_dbi, &main);
    if (rc != 0) return poison(rc, "look at");
    if (main.ms_entries > 1) {  // more than our new "meta"
      return fail(Code::unsupported, options_.directory.string() +
                                         " holds an LMDB environment that is not a Pollux " + options_.what +
                                         "; name another directory");
    }
    if (auto put = put_meta(txn->get(), format_key, options_.format); !put) return put;
    if (auto made = open_databases(txn->get(), MDB_CREATE); !made) return made;
    return txn->commit();
  }
  if (**found != options_.format) return std::unexpected(other_format(**found));
  if (auto checked = check_meta(txn->get()); !checked) return checked;
  if (auto opened = open_databases(txn->get(), 0); !opened) return opened;
  return txn->commit();
}

Result<void> LmdbEnv::check_format_beside() {
  MDB_txn* txn = nullptr;
  if (const int rc = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn); rc != 0)
    return std::unexpected(error(rc, "begin a read of"));
  const auto check = [&]() -> Result<void> {
    if (const int rc = mdb_dbi_open(txn, "meta", 0, &meta_); rc != 0) return std::unexpected(error(rc, "open"));
    auto found = get_meta(txn, format_key);
    if (!found) return std::unexpected(found.error());
    if (*found != options_.format) return std::unexpected(other_format(found->value_or("")));
    return open_databases(txn, 0);
  };
  if (auto checked = check(); !checked) {
    mdb_txn_abort(txn);
    return checked;
  }
  // Committed, not aborted: only then the handles stay.
  if (const int rc = mdb_txn_commit(txn); rc != 0) return std::unexpected(error(rc, "read"));
  return {};
}

Error LmdbEnv::other_format(std::string_view found) const {
  return {Code::unsupported, "the " + options_.what + " in " + options_.directory.string() + " has the format \"" +
                                 std::string(found) + "\", and this version reads \"" + options_.format +
                                 "\"; use the version of Pollux that wrote it"};
}

Result<void> LmdbEnv::prefill() {
  if (options_.prefill_bytes == 0) return {};
  const auto file = options_.directory / "data.mdb";
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  struct stat before{};
  if (!fd || ::fstat(fd.get(), &before) != 0)
    return std::unexpected(system_error("cannot open " + file.string(), errno));
  // LMDB takes its size from its meta pages and does not mind what follows. Written zeros, not fallocate:
  // turning unwritten extents into written ones is what makes the first force of a page dear.
  const std::string zeros(1 << 20, '\0');
  for (auto at = static_cast<std::uint64_t>(before.st_size); at < options_.prefill_bytes;) {
    const auto count = std::min<std::uint64_t>(zeros.size(), options_.prefill_bytes - at);
    const ssize_t written = ::pwrite(fd.get(), zeros.data(), count, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      // It only makes things faster: a disk without room for it is no reason not to start.
      if (::ftruncate(fd.get(), before.st_size) != 0) break;
      break;
    }
    at += static_cast<std::uint64_t>(written);
  }
  if (::fsync(fd.get()) != 0) return std::unexpected(system_error("cannot force " + file.string(), errno));
  return {};
}

LmdbEnv::~LmdbEnv() {
  for (MDB_txn* txn : idle_readers_) mdb_txn_abort(txn);
  if (env_ != nullptr) mdb_env_close(env_);
}

Result<void> LmdbEnv::open_databases(MDB_txn* txn, unsigned flags) {
  for (const LmdbDatabase& database : options_.databases) {
    MDB_dbi dbi = 0;
    const int rc = mdb_dbi_open(txn, database.name, database.flags | flags, &dbi);
    if (rc == MDB_NOTFOUND) {
      return fail(Code::damaged, "the " + options_.what + " in " + options_.directory.string() +
                                     " has lost its \"" + database.name + "\"" + restore_hint);
    }
    if (rc != 0) return poison(rc, "open");
    databases_.push_back(dbi);
  }
  return {};
}

Result<void> LmdbEnv::check_meta(MDB_txn* txn) const {
  // A value whose name was damaged would otherwise just be missing.
  LmdbCursor cursor;
  int rc = cursor.open(txn, meta_);
  MDB_val key{};
  MDB_val value{};
  while (rc == 0 && (rc = mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT)) == 0) {
    const auto name = to_view(key);
    if (name != format_key && std::ranges::find(options_.meta_names, name) == options_.meta_names.end()) {
      return fail(Code::damaged, "the " + options_.what + " in " + options_.directory.string() +
                                     " holds something without a proper name" + restore_hint);
    }
  }
  if (rc != MDB_NOTFOUND) return std::unexpected(error(rc, "read"));
  return {};
}

Result<LmdbRead> LmdbEnv::read() const {
  MDB_txn* txn = nullptr;
  {
    const std::lock_guard lock(idle_mutex_);
    if (!idle_readers_.empty()) {
      txn = idle_readers_.back();
      idle_readers_.pop_back();
    }
  }
  if (txn != nullptr) {
    if (const int rc = mdb_txn_renew(txn); rc != 0) {
      mdb_txn_abort(txn);
      return std::unexpected(error(rc, "begin a read of"));
    }
  } else if (const int rc = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn); rc != 0) {
    return std::unexpected(error(rc, "begin a read of"));
  }
  return LmdbRead(*this, txn);
}

Result<LmdbWrite> LmdbEnv::write() {
  if (poisoned_) {
    return fail(poisoned_->code, "nothing more is written to the " + options_.what + " in " +
                                     options_.directory.string() +
                                     " after an earlier failure: " + poisoned_->text);
  }
  MDB_txn* txn = nullptr;
  if (const int rc = mdb_txn_begin(env_, nullptr, 0, &txn); rc != 0) return poison(rc, "begin a write of");
  return LmdbWrite(*this, txn);
}

Result<std::optional<std::string>> LmdbEnv::get_meta(MDB_txn* txn, std::string_view name) const {
  MDB_val key = to_val(name);
  MDB_val value{};
  const int rc = mdb_get(txn, meta_, &key, &value);
  if (rc == MDB_NOTFOUND) return std::nullopt;
  if (rc != 0) return std::unexpected(error(rc, "read"));
  const auto plain = without_checksum(name, to_view(value));
  if (!plain) {
    return fail(Code::damaged, "\"" + std::string(name) + "\" of the " + options_.what + " in " +
                                   options_.directory.string() + " does not fit its checksum" + restore_hint);
  }
  return std::string(*plain);
}

Result<void> LmdbEnv::put_meta(MDB_txn* txn, std::string_view name, std::string_view value) {
  const std::string stored = with_checksum(name, value);
  MDB_val key = to_val(name);
  MDB_val val = to_val(stored);
  if (const int rc = mdb_put(txn, meta_, &key, &val, 0); rc != 0) return poison(rc, "write");
  return {};
}

Result<void> LmdbEnv::erase_meta(MDB_txn* txn, std::string_view name) {
  MDB_val key = to_val(name);
  if (const int rc = mdb_del(txn, meta_, &key, nullptr); rc != 0 && rc != MDB_NOTFOUND)
    return poison(rc, "write");
  return {};
}

Error LmdbEnv::error(int rc, std::string_view doing) const {
  const std::string what =
      "cannot " + std::string(doing) + " the " + options_.what + " in " + options_.directory.string();
  if (rc > 0) return system_error(what, rc);
  switch (rc) {
    case MDB_MAP_FULL:
      return {Code::disk_full, what + ": the address space reserved for it is used up; reserve more"};
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
      return {Code::damaged, what + ": its pages are damaged" + restore_hint};
    case MDB_VERSION_MISMATCH:
      return {Code::unsupported, what + ": it was written by another version of LMDB"};
    case MDB_READERS_FULL:
      return {Code::busy, what + ": too many reads are open; try again"};
    default:
      return {Code::io_error, what + ": " + mdb_strerror(rc)};
  }
}

std::unexpected<Error> LmdbEnv::poison(int rc, std::string_view doing) { return poison(error(rc, doing)); }

std::unexpected<Error> LmdbEnv::poison(Error error) {
  if (!poisoned_) poisoned_ = error;
  return std::unexpected(std::move(error));
}

Result<std::uint64_t> LmdbEnv::bytes_used(MDB_txn* txn, std::initializer_list<MDB_dbi> databases) const {
  std::uint64_t pages = 0;
  std::uint64_t page_bytes = 0;
  for (const MDB_dbi dbi : databases) {
    MDB_stat stat{};
    if (const int rc = mdb_stat(txn, dbi, &stat); rc != 0) return std::unexpected(error(rc, "look at"));
    pages += stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
    page_bytes = stat.ms_psize;
  }
  return pages * page_bytes;
}

}  // namespace pollux
