#include "file_witness.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <vector>

#include "witness_rules.h"

namespace pollux {
namespace {

constexpr std::string_view id_name = "witness.id";
constexpr std::string_view spare_prefix = "prepared.";

/// Epoch of a name like "epoch.<20 digits>".
std::optional<Epoch> epoch_of(std::string_view name, std::string_view kind) {
  if (name.size() != kind.size() + 21) return std::nullopt;
  Epoch epoch;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + kind.size() + 1, end, epoch.value);
  if (parsed.ec != std::errc{} || parsed.ptr != end || epoch.value == 0) return std::nullopt;
  return epoch;
}

}  // namespace

Result<std::unique_ptr<Witness>> open_file_witness(const std::filesystem::path& directory, WitnessStep step) {
  auto witness = std::make_unique<FileWitness>(directory, std::move(step));
  if (auto opened = witness->open(); !opened) return std::unexpected(std::move(opened.error()));
  return witness;
}

FileWitness::~FileWitness() { drop_spare(); }

std::unexpected<Error> FileWitness::failure(std::string_view did, const std::filesystem::path& file,
                                            int error) const {
  return fail(errno_code(error),
              "the witness can't " + std::string(did) + " " + file.string() + ": " + errno_text(error));
}

int FileWitness::sync_file(int fd, std::string_view name) {
  if (const int error = step(name)) return error;
  return ::fsync(fd) == 0 ? 0 : errno;
}

Result<void> FileWitness::sync_directory() {
  int error = step("sync directory");
  if (error == 0 && ::fsync(directory_fd_.get()) != 0) error = errno;
  if (error == 0) return {};
  // The kernel tells of a failed flush once. What is visible now may be gone after a power loss, and a second
  // sync would not say so.
  broken_ = "the witness can't sync its directory " + directory_.string() + ": " + errno_text(error) +
            "; check that disk, then restart this member";
  return fail(errno_code(error), broken_);
}

std::unexpected<Error> FileWitness::damage(const std::filesystem::path& file) const {
  return fail(Code::damaged,
              "the witness's file " + file.string() +
                  " is damaged, and no role can change. Stop the pair, move this file elsewhere, start the pair "
                  "again, and if its members then refuse the witness, order 'pollux witness adopt': they give it "
                  "what they know; no record is lost");
}

std::unexpected<Error> FileWitness::id_damage(std::string_view what) const {
  return fail(Code::damaged,
              "the witness's id file " + path(id_name).string() + " is " + std::string(what) +
                  ". Restore it from a backup copy, or stop the pair, move all files of " + directory_.string() +
                  " elsewhere, start the pair again, and order 'pollux witness adopt': its members give the new "
                  "witness what they know; no record is lost");
}

Result<void> FileWitness::open() {
  if (auto made = make_directory(); !made) return made;
  return open_directory();
}

Result<void> FileWitness::open_directory() {
  directory_fd_ = UniqueFd(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory_fd_) return failure("open", directory_, errno);
  const auto newest = newest_epoch();
  if (!newest) return std::unexpected(newest.error());
  if (auto learnt = learn_id(newest->value == 0); !learnt) return learnt;
  if (const auto stand = look_inside(); !stand) return std::unexpected(stand.error());
  // A full disk is no reason to refuse: what is there can be read, and a proposal may find space again.
  static_cast<void>(prepare_spare());
  return {};
}

Result<void> FileWitness::make_directory() {
  std::vector<std::filesystem::path> missing;
  for (auto at = std::filesystem::absolute(directory_); !at.empty() && ::access(at.c_str(), F_OK) != 0;
       at = at.parent_path()) {
    missing.push_back(at);
  }
  for (auto at = missing.rbegin(); at != missing.rend(); ++at) {
    if (const int error = step("make directory")) return failure("make its directory", *at, error);
    if (::mkdir(at->c_str(), 0700) != 0 && errno != EEXIST) return failure("make its directory", *at, errno);
    const UniqueFd parent(::open(at->parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent) static_cast<void>(::fsync(parent.get()));
  }
  return {};
}

Result<void> FileWitness::learn_id(bool may_make) {
  const auto file = path(id_name);
  std::string text;
  int error = read_file(file, witness_file_bytes_max, &text);
  if (error == ENOENT && !may_make) {
    return id_damage("missing, but its epochs are there");
  }
  if (error == ENOENT) {
    // Two members may do this at once: link() lets one win, and both read the winner's.
    WitnessId id;
    fill_random(id.bytes.data(), id.bytes.size());
    if (auto prepared = prepare_spare(); !prepared) return prepared;
    if (auto written = write_spare(witness_id_text(id)); !written) return written;
    error = step("link id");
    if (error == 0 && !link_spare(id_name)) error = errno;
    drop_spare();
    if (error != 0 && error != EEXIST) return failure("make", file, error);
    error = read_file(file, witness_file_bytes_max, &text);
  }
  if (error != 0 && error != EFBIG) return failure("read", file, error);
  const auto id = error == 0 ? parse_witness_id(text) : std::nullopt;
  if (!id) return id_damage("damaged");
  id_ = *id;
  return sync_directory();
}

Result<Epoch> FileWitness::newest_epoch() {
  if (const int error = step("list")) return failure("list", directory_, error);
  std::error_code error;
  std::filesystem::directory_iterator entries(directory_, error);
  Epoch newest;
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (!name.starts_with("epoch.")) continue;
    const auto epoch = epoch_of(name, "epoch");
    if (!epoch) {
      return fail(Code::damaged, "the witness finds a file that it did not write: " + path(name).string() +
                                     "; move it elsewhere");
    }
    newest = std::max(newest, *epoch);
  }
  if (error) return failure("list", directory_, error.value());
  return newest;
}

Result<std::optional<FloorFile>> FileWitness::read_floor(Epoch epoch) {
  const auto file = path(witness_file_name("floor", epoch));
  std::string text;
  const int error = read_file(file, witness_file_bytes_max, &text);
  if (error == ENOENT) return std::nullopt;
  if (error != 0 && error != EFBIG) return failure("read", file, error);
  const auto floor = error == 0 ? parse_floor(text) : std::nullopt;
  if (!floor || floor->epoch != epoch) return damage(file);
  return *floor;
}

// A copy that is put back is another directory in the same place. What is written goes to the directory that was
// looked at, by its descriptor: a call that hung meanwhile changes nothing in the one that is there now.
Result<void> FileWitness::find_directory() {
  struct stat here{}, opened{};
  if (::stat(directory_.c_str(), &here) != 0) {
    if (errno != ENOENT) return failure("find", directory_, errno);
    return fail(Code::damaged, "the witness's files in " + directory_.string() + " are gone: restore them");
  }
  if (::fstat(directory_fd_.get(), &opened) != 0) return failure("find", directory_, errno);
  if (here.st_dev == opened.st_dev && here.st_ino == opened.st_ino) return {};
  drop_spare();
  durable_ = {};
  return open_directory();
}

Result<FileWitness::Stand> FileWitness::look() {
  if (!broken_.empty()) return fail(Code::io_error, broken_);
  if (auto found = find_directory(); !found) return std::unexpected(found.error());
  return look_inside();
}

Result<FileWitness::Stand> FileWitness::look_inside() {
  const auto newest = newest_epoch();
  if (!newest) return std::unexpected(newest.error());
  Stand stand;
  if (newest->value == 0) {
    if (durable_.value > 0) {
      return fail(Code::damaged, "the witness's files in " + directory_.string() + " are gone: restore them");
    }
    return stand;
  }
  const auto file = path(witness_file_name("epoch", *newest));
  std::string text;
  const int error = read_file(file, witness_file_bytes_max, &text);
  if (error != 0 && error != EFBIG) return failure("read", file, error);
  const auto parsed = error == 0 ? parse_epoch(text) : std::nullopt;
  if (!parsed || parsed->number() != *newest || parsed->configuration.epoch < *newest) return damage(file);
  stand.configuration = parsed->configuration;
  stand.number = *newest;
  const auto floor = read_floor(stand.configuration.epoch);
  if (!floor) return std::unexpected(floor.error());
  if (*floor) {
    stand.floor_number = (*floor)->number;
    stand.configuration.floor = higher(stand.configuration.floor, (*floor)->floor);
  }
  // The former primary may have raised its floor while the next epoch was being taken.
  const auto former = newest->value > 1 ? read_floor(newest->prev()) : std::optional<FloorFile>();
  if (!former) return std::unexpected(former.error());
  if (*former) stand.configuration.floor = higher(stand.configuration.floor, (*former)->floor);
  // Nobody is told of an epoch that a power loss could take back.
  if (*newest > durable_) {
    if (auto synced = sync_directory(); !synced) return std::unexpected(synced.error());
    durable_ = *newest;
  }
  return stand;
}

WitnessView FileWitness::view_of(const Stand& stand) const {
  // Grows with every write, without a counter that two writers could race for: one primary writes an epoch's
  // floor.
  return {id_, stand.configuration.epoch.value << 32 | (stand.floor_number & 0xffffffff),
          stand.configuration};
}

Witness::Answer FileWitness::read() {
  const auto stand = look();
  if (!stand) return in_doubt(stand.error());
  return {WitnessSaid::Outcome::read, view_of(*stand), {}};
}

Witness::Answer FileWitness::lost_or_won(const Stand& stand, const Configuration& next) const {
  if (same_roles(stand.configuration, next)) {
    return {WitnessSaid::Outcome::won, view_of(stand), "this proposal stands already"};
  }
  return {WitnessSaid::Outcome::lost, view_of(stand),
          "the witness is at epoch " + std::to_string(stand.configuration.epoch.value)};
}

Witness::Answer FileWitness::propose(const Configuration& next) {
  const auto stand = look();
  if (!stand) return in_doubt(stand.error());
  if (stand->configuration.epoch.next() != next.epoch) return lost_or_won(*stand, next);
  return take(*stand, {next, std::nullopt});
}

Witness::Answer FileWitness::adopt(const WitnessView& refused, const Configuration& next) {
  const auto stand = look();
  if (!stand) return in_doubt(stand.error());
  const WitnessView view = view_of(*stand);
  const bool is_refused_one = view.witness == refused.witness && view.revision == refused.revision &&
                              view.configuration.epoch == refused.configuration.epoch;
  if (!is_refused_one || next.epoch <= view.configuration.epoch) return lost_or_won(*stand, next);
  return take(*stand, {next, view.configuration.epoch});
}

Witness::Answer FileWitness::take(const Stand& stand, EpochFile file) {
  const Configuration& next = file.configuration;
  if (stand.configuration.epoch.value > 0 && stand.configuration.cluster != next.cluster) {
    return {WitnessSaid::Outcome::in_doubt,
            {},
            "the witness in " + directory_.string() + " belongs to cluster " +
                to_string(stand.configuration.cluster) + ": give this pair a directory of its own"};
  }
  file.configuration.floor = higher(stand.configuration.floor, next.floor);
  if (auto prepared = prepare_spare(); !prepared) return in_doubt(prepared.error());
  if (auto written = write_spare(epoch_text(file)); !written) {
    drop_spare();
    return in_doubt(written.error());
  }
  const std::string name = witness_file_name("epoch", file.number());
  int error = step("link epoch");
  if (error == 0 && !link_spare(name)) error = errno;
  if (error == EEXIST) {
    // Somebody was faster; the prepared file is still ours alone.
    const auto now = look();
    return now ? lost_or_won(*now, next) : in_doubt(now.error());
  }
  // From here on the prepared file may be an epoch: it must never be written again.
  drop_spare();
  if (error != 0) return in_doubt(failure("link", path(name), error).error());
  const auto now = look();  // syncs the directory
  if (!now) return in_doubt(now.error());
  prune(now->number);
  static_cast<void>(prepare_spare());
  return lost_or_won(*now, next);
}

Result<void> FileWitness::raise_floor(const Configuration& configuration) {
  const auto stand = look();
  if (!stand) return std::unexpected(stand.error());
  if (!same_roles(stand->configuration, configuration)) {
    return fail(Code::witness_refused, "the witness holds another configuration, of epoch " +
                                           std::to_string(stand->configuration.epoch.value));
  }
  if (configuration.floor.lsn <= stand->configuration.floor.lsn) return {};
  const std::string name = witness_file_name("floor", configuration.epoch);
  if (auto prepared = prepare_spare(); !prepared) return prepared;
  auto written = write_spare(floor_text({configuration.epoch, stand->floor_number + 1, configuration.floor}));
  int error = 0;
  if (written) {
    error = step("rename floor");
    const int fd = directory_fd_.get();
    if (error == 0 && ::renameat(fd, spare_name_.c_str(), fd, name.c_str()) != 0) error = errno;
    if (error == 0) {
      spare_name_.clear();
      spare_.reset();
    }
  }
  drop_spare();
  if (!written) return written;
  if (error != 0) return failure("rename", path(name), error);
  if (auto synced = sync_directory(); !synced) return synced;
  static_cast<void>(prepare_spare());
  return {};
}

Result<void> FileWitness::prepare_spare() {
  if (!spare_name_.empty()) return {};
  const std::string name = std::string(spare_prefix) + random_hex();
  int error = step("make prepared file");
  if (error != 0) return failure("make", path(name), error);
  UniqueFd fd(::openat(directory_fd_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return failure("make", path(name), errno);
  spare_ = std::move(fd);
  spare_name_ = name;
  // Its blocks are allocated now, so that a takeover on a full disk needs none.
  error = step("write prepared file");
  if (error == 0) error = write_all(spare_.get(), std::string(witness_file_bytes_max, '\n'), 0);
  if (error == 0) error = sync_file(spare_.get(), "sync prepared file");
  if (error == 0) return {};
  drop_spare();
  return failure("write", path(name), error);
}

Result<void> FileWitness::write_spare(const std::string& text) {
  int error = step("write content");
  if (error == 0) error = write_all(spare_.get(), text, 0);
  if (error == 0 && ::ftruncate(spare_.get(), static_cast<off_t>(text.size())) != 0) error = errno;
  if (error == 0) error = sync_file(spare_.get(), "sync content");
  if (error == 0) return {};
  return failure("write", path(spare_name_), error);
}

bool FileWitness::link_spare(std::string_view name) const {
  const int fd = directory_fd_.get();
  return ::linkat(fd, spare_name_.c_str(), fd, std::string(name).c_str(), 0) == 0;
}

void FileWitness::drop_spare() {
  if (!spare_name_.empty()) ::unlinkat(directory_fd_.get(), spare_name_.c_str(), 0);
  spare_name_.clear();
  spare_.reset();
}

void FileWitness::prune(Epoch newest) {
  // Best effort: what stays behind does no harm. Prepared files of killed processes go when they are a day
  // old.
  std::error_code error;
  std::vector<std::filesystem::path> old;
  const auto day_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
  for (std::filesystem::directory_iterator entry(directory_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    for (const std::string_view kind : {"epoch", "floor"}) {
      const auto epoch = name.starts_with(kind) ? epoch_of(name, kind) : std::nullopt;
      if (epoch && epoch->value + witness_epochs_kept <= newest.value) old.push_back(entry->path());
    }
    std::error_code time_error;
    if (name.starts_with(spare_prefix) && entry->last_write_time(time_error) < day_ago && !time_error &&
        name != spare_name_) {
      old.push_back(entry->path());
    }
  }
  if (step("prune") != 0) return;
  for (const auto& file : old) ::unlinkat(directory_fd_.get(), file.filename().c_str(), 0);
}

}  // namespace pollux
