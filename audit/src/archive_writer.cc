#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>

#include "archive_format.h"
#include "files.h"
#include "pollux/audit/archive.h"
#include "pollux/core/check.h"

namespace pollux {

struct ArchiveWriter::State {
  std::filesystem::path file, unfinished;
  Fd fd;
  Position last;
  std::uint64_t raw_total = 0;
  std::uint64_t blocks = 0;
  BlockHeader block;
  std::string raw;         // of the block being filled: length and bytes of each record
  std::string compressed;  // kept for its capacity

  Result<void> write_block() {
    if (block.count == 0) return {};
    uLongf size = compressBound(raw.size());
    compressed.resize(size);
    // Level 1: what is archived is written once and rarely read, and the CPU is the pair's.
    const int rc = compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                             reinterpret_cast<const Bytef*>(raw.data()), raw.size(), 1);
    if (rc != Z_OK)
      return fail(Code::io_error, "cannot compress records for " + file.string() + ": out of memory");
    block.raw_bytes = raw.size();
    block.compressed_bytes = size;
    block.last_hash = last.hash;
    const std::string_view body(compressed.data(), size);
    block.compressed_sum = checksum(body, ChecksumOf::archive, block.first_lsn);
    if (auto done = write_all(fd.get(), block.make(), unfinished); !done) return done;
    if (auto done = write_all(fd.get(), body, unfinished); !done) return done;
    ++blocks;
    block = {};
    raw.clear();
    return {};
  }
};

ArchiveWriter::ArchiveWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArchiveWriter::ArchiveWriter(ArchiveWriter&&) noexcept = default;
ArchiveWriter& ArchiveWriter::operator=(ArchiveWriter&&) noexcept = default;

ArchiveWriter::~ArchiveWriter() {
  if (state_ != nullptr && state_->fd) ::unlink(state_->unfinished.c_str());
}

Result<ArchiveWriter> ArchiveWriter::create(const std::filesystem::path& file, const Position& base) {
  auto state = std::make_unique<State>();
  state->file = file;
  state->unfinished = file;
  state->unfinished += ".unfinished";
  state->last = base;
  if (auto made = make_directory(file.has_parent_path() ? file.parent_path() : "."); !made) {
    return std::unexpected(made.error());
  }
  state->fd = Fd(::open(state->unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!state->fd) return std::unexpected(system_error("cannot create " + state->unfinished.string(), errno));
  if (auto done = write_all(state->fd.get(), make_header(base), state->unfinished); !done) {
    ::unlink(state->unfinished.c_str());
    return std::unexpected(done.error());
  }
  return ArchiveWriter(std::move(state));
}

Result<void> ArchiveWriter::add(Lsn lsn, std::string_view bytes, const Hash& hash) {
  State& state = *state_;
  POLLUX_CHECK_WHY(lsn == state.last.lsn.next(), "records are archived without a gap");
  if (!state.raw.empty() && state.raw.size() + bytes.size() > archive_block_bytes) {
    if (auto done = state.write_block(); !done) return done;
  }
  if (state.block.count == 0) state.block.first_lsn = lsn.value;
  ++state.block.count;
  put_number(state.raw, static_cast<std::uint64_t>(bytes.size()));
  state.raw.append(bytes);
  state.raw_total += bytes.size();
  state.last = {lsn, hash};
  return {};
}

Result<Position> ArchiveWriter::finish() {
  State& state = *state_;
  if (auto done = state.write_block(); !done) return std::unexpected(done.error());
  if (auto done = write_all(state.fd.get(), make_footer(state.blocks, state.last), state.unfinished); !done) {
    return std::unexpected(done.error());
  }
  if (::fsync(state.fd.get()) != 0) {
    return std::unexpected(system_error("cannot force " + state.unfinished.string(), errno));
  }
  if (::rename(state.unfinished.c_str(), state.file.c_str()) != 0) {
    return std::unexpected(system_error("cannot name " + state.file.string(), errno));
  }
  state.fd.close();
  if (auto synced = sync_directory(state.file.parent_path()); !synced) return std::unexpected(synced.error());
  return state.last;
}

Position ArchiveWriter::last() const { return state_->last; }
std::uint64_t ArchiveWriter::bytes_raw() const { return state_->raw_total; }

Result<void> write_archive(const std::filesystem::path& file, const Position& base,
                           std::span<const RecordPtr> records) {
  auto writer = ArchiveWriter::create(file, base);
  if (!writer) return std::unexpected(writer.error());
  for (const auto& record : records) {
    if (auto added = writer->add(record->record.lsn, record->bytes, record->hash); !added) return added;
  }
  if (auto done = writer->finish(); !done) return std::unexpected(done.error());
  return {};
}

}  // namespace pollux
