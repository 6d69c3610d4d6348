#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "archive_format.h"
#include "files.h"
#include "pollux/audit/archive.h"
#include "pollux/proto/record_codec.h"

namespace pollux {

struct ArchiveReader::State {
  struct Block {
    BlockHeader header;
    std::uint64_t at = 0;  // of the compressed bytes
  };
  std::filesystem::path file;
  Fd fd;
  std::uint64_t size = 0;
  Position base, last;
  std::vector<Block> blocks;

  [[nodiscard]] std::unexpected<Error> damaged(const std::string& why) const {
    return fail(Code::damaged, "the archive " + file.string() + " is damaged: " + why +
                                   "; take a copy of it, or the same records from the peer's archives");
  }

  [[nodiscard]] Result<std::string> bytes_at(std::uint64_t at, std::uint64_t count) const {
    if (at > size || count > size - at) return damaged("it was cut off");
    std::string bytes(count, '\0');
    for (std::size_t done = 0; done < count;) {
      const ssize_t got = ::pread(fd.get(), bytes.data() + done, count - done, static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return std::unexpected(system_error("cannot read " + file.string(), errno));
      if (got == 0) return damaged("it was cut off");
      done += static_cast<std::size_t>(got);
    }
    return bytes;
  }

  Result<void> load() {
    auto header = bytes_at(0, archive_header_bytes);
    if (!header) return std::unexpected(header.error());
    const auto found = parse_header(*header);
    if (!found) return damaged("its header is not that of a Pollux archive");
    base = last = *found;
    std::uint64_t at = archive_header_bytes;
    while (size - at > footer_bytes) {
      auto bytes = bytes_at(at, BlockHeader::bytes);
      if (!bytes) return std::unexpected(bytes.error());
      const auto block = BlockHeader::parse(*bytes);
      const auto after = std::to_string(last.lsn.value);
      if (!block)
        return damaged("the header of the records after LSN " + after + " does not fit its checksum");
      at += BlockHeader::bytes;
      if (block->first_lsn != last.lsn.value + 1 || block->count == 0 ||
          block->compressed_bytes > size - at || block->raw_bytes > archive_block_bytes_max) {
        return damaged("the records after LSN " + after + " are missing or out of order");
      }
      blocks.push_back({*block, at});
      at += block->compressed_bytes;
      last = {Lsn{last.lsn.value + block->count}, block->last_hash};
    }
    auto footer = bytes_at(at, footer_bytes);
    if (!footer) return std::unexpected(footer.error());
    if (*footer != make_footer(blocks.size(), last) || at + footer_bytes != size) {
      return damaged("its end is missing or does not fit its checksum");
    }
    return {};
  }

  [[nodiscard]] Position before(std::size_t block) const {
    return block == 0 ? base
                      : Position{Lsn{blocks[block].header.first_lsn - 1}, blocks[block - 1].header.last_hash};
  }
  [[nodiscard]] std::size_t block_of(Lsn lsn) const {
    const auto after = std::upper_bound(
        blocks.begin(), blocks.end(), lsn.value,
        [](std::uint64_t value, const Block& block) { return value < block.header.first_lsn; });
    return static_cast<std::size_t>(after - blocks.begin()) - 1;
  }

  [[nodiscard]] Result<std::string> inflate_block(const Block& block) const {
    auto compressed = bytes_at(block.at, block.header.compressed_bytes);
    if (!compressed) return compressed;
    const auto at = "the records from LSN " + std::to_string(block.header.first_lsn) + " on ";
    if (checksum(*compressed, ChecksumOf::archive, block.header.first_lsn) != block.header.compressed_sum) {
      return damaged(at + "do not fit their checksum");
    }
    std::string raw(block.header.raw_bytes, '\0');
    uLongf raw_size = raw.size();
    if (uncompress(reinterpret_cast<Bytef*>(raw.data()), &raw_size,
                   reinterpret_cast<const Bytef*>(compressed->data()), compressed->size()) != Z_OK ||
        raw_size != raw.size()) {
      return damaged(at + "cannot be decompressed");
    }
    return raw;
  }
};

ArchiveReader::ArchiveReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArchiveReader::ArchiveReader(ArchiveReader&&) noexcept = default;
ArchiveReader& ArchiveReader::operator=(ArchiveReader&&) noexcept = default;
ArchiveReader::~ArchiveReader() = default;

Result<ArchiveReader> ArchiveReader::open(const std::filesystem::path& file) {
  auto state = std::make_unique<State>();
  state->file = file;
  state->fd = Fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat found{};
  if (!state->fd || ::fstat(state->fd.get(), &found) != 0) {
    return std::unexpected(system_error("cannot open the archive " + file.string(), errno));
  }
  if (!S_ISREG(found.st_mode)) return fail(Code::io_error, file.string() + " is not a file");
  state->size = static_cast<std::uint64_t>(found.st_size);
  if (state->size < archive_header_bytes) return state->damaged("it is too short to be one");
  if (auto loaded = state->load(); !loaded) return std::unexpected(loaded.error());
  return ArchiveReader(std::move(state));
}

Position ArchiveReader::base() const { return state_->base; }
Position ArchiveReader::last() const { return state_->last; }
std::size_t ArchiveReader::blocks() const { return state_->blocks.size(); }

Result<std::vector<RecordPtr>> ArchiveReader::read_block(std::size_t block) const {
  auto raw = state_->inflate_block(state_->blocks.at(block));
  if (!raw) return std::unexpected(raw.error());
  const BlockHeader& header = state_->blocks[block].header;
  Position at = state_->before(block);
  std::vector<RecordPtr> records;
  std::string_view left(*raw);
  while (!left.empty()) {
    const auto size = left.size() < 8 ? ~0ULL : get_number<std::uint64_t>(left);
    const auto next = "LSN " + std::to_string(at.lsn.value + 1);
    if (size > left.size() - std::min<std::size_t>(8, left.size()))
      return state_->damaged(next + " is cut off");
    auto record = unseal(left.substr(8, size), at.hash);
    if (!record || (*record)->record.lsn != at.lsn.next())
      return state_->damaged(next + " cannot be decoded");
    left.remove_prefix(8 + size);
    at = (*record)->position();
    records.push_back(std::move(*record));
  }
  if (records.size() != header.count || at.hash != header.last_hash) {
    return state_->damaged("the records up to LSN " + std::to_string(header.first_lsn + header.count - 1) +
                           " do not fit the chain");
  }
  return records;
}

Result<RecordPtr> ArchiveReader::read(Lsn lsn) const {
  if (lsn <= base().lsn)
    return fail(Code::gone, "LSN " + std::to_string(lsn.value) + " is in an older archive");
  if (lsn > last().lsn)
    return fail(Code::not_found, "LSN " + std::to_string(lsn.value) + " is beyond the archive's end");
  const std::size_t block = state_->block_of(lsn);
  auto records = read_block(block);
  if (!records) return std::unexpected(records.error());
  return (*records)[lsn.value - state_->blocks[block].header.first_lsn];
}

Result<Hash> ArchiveReader::hash_at(Lsn lsn) const {
  if (lsn == base().lsn) return base().hash;
  if (lsn > base().lsn && lsn <= last().lsn) {
    const BlockHeader& header = state_->blocks[state_->block_of(lsn)].header;
    if (lsn.value == header.first_lsn + header.count - 1) return header.last_hash;
  }
  auto record = read(lsn);
  if (!record) return std::unexpected(record.error());
  return (*record)->hash;
}

Result<ArchiveContent> read_archive(const std::filesystem::path& file) {
  auto reader = ArchiveReader::open(file);
  if (!reader) return std::unexpected(reader.error());
  ArchiveContent content{.base = reader->base(), .records = {}};
  for (std::size_t i = 0; i < reader->blocks(); ++i) {
    auto records = reader->read_block(i);
    if (!records) return std::unexpected(records.error());
    content.records.insert(content.records.end(), records->begin(), records->end());
  }
  return content;
}

}  // namespace pollux
