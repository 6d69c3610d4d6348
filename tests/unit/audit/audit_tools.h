// What tests of the audit files share: a directory that goes away, records that chain, bits that flip.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/audit/tables.h"
#include "pollux/audit/trail.h"
#include "pollux/proto/record_codec.h"

namespace pollux::testing {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "pollux-audit-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline SessionId session_id(std::uint8_t number) {
  SessionId id;
  id.bytes[0] = number;
  id.bytes[15] = 1;
  return id;
}

/// Makes records that follow each other, from any position on.
class RecordMaker {
 public:
  explicit RecordMaker(Position after = {}) : last_(after) {}

  /// A request that sets `changes`.
  RecordPtr request(std::vector<Change> changes, SyncId sync = {}, std::string reply = "done") {
    Record record;
    record.changes = std::move(changes);
    record.sync = sync;
    record.reply = std::move(reply);
    return make(std::move(record));
  }
  RecordPtr put(std::string key, std::string value) { return request({{std::move(key), std::move(value)}}); }
  RecordPtr erase(std::string key) { return request({{std::move(key), std::nullopt}}); }
  RecordPtr of_kind(RecordKind kind, SyncId sync) {
    Record record;
    record.kind = kind;
    record.sync = sync;
    return make(std::move(record));
  }
  RecordPtr make(Record record) {
    record.lsn = last_.lsn.next();
    record.epoch = Epoch{1};
    if (record.time == WallTime{}) record.time = {static_cast<std::int64_t>(record.lsn.value) * 1'000'000};
    RecordPtr sealed = seal(std::move(record), last_.hash);
    last_ = sealed->position();
    return sealed;
  }
  /// `count` small puts.
  std::vector<RecordPtr> some(std::size_t count, std::size_t value_bytes = 100) {
    std::vector<RecordPtr> records;
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = std::to_string(last_.lsn.value + 1);
      records.push_back(put("key-" + number, number + std::string(value_bytes, 'v')));
    }
    return records;
  }
  [[nodiscard]] const Position& last() const { return last_; }

 private:
  Position last_;
};

inline std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Flips one bit of a file in place.
inline void flip_bit(const std::filesystem::path& file, std::size_t byte, int bit = 0) {
  std::fstream io(file, std::ios::binary | std::ios::in | std::ios::out);
  io.seekg(static_cast<std::streamoff>(byte));
  const auto flipped = static_cast<char>(io.get() ^ (1 << bit));
  io.seekp(static_cast<std::streamoff>(byte));
  io.put(flipped);
}

/// Where `text` stands in a file; fails the test if it is not there exactly once or more.
inline std::size_t find_in(const std::filesystem::path& file, std::string_view text) {
  const auto at = contents(file).rfind(text);
  EXPECT_NE(at, std::string::npos) << text << " is not in " << file;
  return at;
}

/// Flips a bit `offset` bytes after each place where `text` stands: LMDB leaves old copies of a page in the
/// file.
inline void flip_all(const std::filesystem::path& file, std::string_view text, std::ptrdiff_t offset,
                     int bit) {
  const std::string bytes = contents(file);
  std::size_t found = 0;
  for (auto at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1), ++found) {
    flip_bit(file, static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) + offset), bit);
  }
  EXPECT_GT(found, 0U) << text << " is not in " << file;
}

template <class T>
std::string text_of(const Result<T>& result) {
  return result ? "ok" : std::string(to_string(result.error().code)) + ": " + result.error().text;
}
template <class T>
Code code_of(const Result<T>& result) {
  return result ? Code::ok : result.error().code;
}

#define ASSERT_OK(expression)                                                            \
  do {                                                                                   \
    const auto& pollux_result = (expression);                                            \
    ASSERT_TRUE(pollux_result.has_value()) << ::pollux::testing::text_of(pollux_result); \
  } while (false)
#define EXPECT_OK(expression)                                                            \
  do {                                                                                   \
    const auto& pollux_result = (expression);                                            \
    EXPECT_TRUE(pollux_result.has_value()) << ::pollux::testing::text_of(pollux_result); \
  } while (false)

inline std::unique_ptr<Trail> open_trail(const std::filesystem::path& directory) {
  auto trail = open_lmdb_trail({.directory = directory, .map_bytes = 1ULL << 34});
  EXPECT_TRUE(trail.has_value()) << text_of(trail);
  return trail ? std::move(*trail) : nullptr;
}
inline std::unique_ptr<Tables> open_tables(const std::filesystem::path& directory) {
  auto tables = open_lmdb_tables({.directory = directory, .map_bytes = 1ULL << 34});
  EXPECT_TRUE(tables.has_value()) << text_of(tables);
  return tables ? std::move(*tables) : nullptr;
}

/// All service rows, by way of a scan.
inline std::vector<std::pair<std::string, std::string>> rows_of(const Tables& tables) {
  std::vector<std::pair<std::string, std::string>> rows;
  auto view = tables.view();
  EXPECT_OK(view);
  EXPECT_OK((*view)->scan("", "", [&](std::string_view key, std::string_view value) {
    rows.emplace_back(key, value);
    return true;
  }));
  return rows;
}

}  // namespace pollux::testing
