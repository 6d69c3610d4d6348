// A snapshot given by one member's tables and received by another's, with records applied meanwhile.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "audit_tools.h"
#include "pollux/proto/message_codec.h"

namespace pollux::testing {
namespace {

constexpr std::size_t chunk_bytes = 64u << 10;

class SnapshotTest : public ::testing::Test {
 protected:
  TempDir directory_;
  RecordMaker maker_;
  std::vector<RecordPtr> records_;
  std::unique_ptr<Tables> from_ = open_tables(directory_ / "from");
  std::unique_ptr<Tables> to_ = open_tables(directory_ / "to");

  void apply(std::vector<RecordPtr> records) {
    ASSERT_OK(from_->apply(records));
    records_.insert(records_.end(), records.begin(), records.end());
  }
  void fill(std::size_t rows, std::size_t value_bytes) {
    std::vector<RecordPtr> records;
    records.push_back(maker_.of_kind(RecordKind::session_opened, {session_id(1), 0}));
    for (std::size_t i = 0; i < rows; ++i) {
      records.push_back(maker_.request({{"row-" + std::to_string(1000 + i), std::string(value_bytes, 'a')}},
                                       {session_id(1), i + 1}, "reply " + std::to_string(i)));
    }
    apply(records);
  }
  /// One chunk, sent as members send it.
  Result<void> move_chunk(std::size_t bytes_max = chunk_bytes) {
    auto chunk = from_->read_snapshot(to_->snapshot_progress()->cursor, bytes_max);
    if (!chunk) return std::unexpected(chunk.error());
    PeerMessage message;
    message.envelope.pair = "pair";
    message.body = SnapshotTell{
        .cursor = "", .tag = chunk->tag, .time = chunk->time, .rows = chunk->rows, .next = chunk->next};
    auto received = decode_peer(encode(message));
    EXPECT_OK(received);
    const auto& tell = std::get<SnapshotTell>(received->body);
    return to_->install({.tag = tell.tag, .time = tell.time, .rows = tell.rows, .next = tell.next});
  }
  [[nodiscard]] bool rows_complete() const {
    const auto progress = to_->snapshot_progress();
    return !progress || progress->rows_complete;
  }
  void move_all(std::size_t bytes_max = chunk_bytes) {
    while (!rows_complete()) ASSERT_OK(move_chunk(bytes_max));
  }
  /// The records the receiving side lacks.
  void catch_up() {
    const std::vector<RecordPtr> tail(
        records_.begin() + static_cast<std::ptrdiff_t>(to_->applied().lsn.value), records_.end());
    ASSERT_OK(to_->apply(tail));
  }
  void expect_equal() {
    auto mine = from_->digest();
    auto others = to_->digest();
    ASSERT_OK(mine);
    ASSERT_OK(others);
    EXPECT_EQ(*mine, *others);
    EXPECT_FALSE(to_->incomplete());
    EXPECT_EQ(from_->sessions()->all(), to_->sessions()->all());
    EXPECT_EQ(from_->newest_time(), to_->newest_time());
  }
};

TEST_F(SnapshotTest, BringsAnIdleMemberInSync) {
  fill(1000, 300);
  ASSERT_OK(to_->begin_snapshot());
  EXPECT_TRUE(to_->incomplete());
  EXPECT_EQ(to_->applied(), Position{});
  move_all();
  EXPECT_EQ(to_->applied(), from_->applied());
  expect_equal();
}

TEST_F(SnapshotTest, OfEmptyTablesIsOneChunk) {
  ASSERT_OK(to_->begin_snapshot());
  ASSERT_OK(move_chunk());
  EXPECT_FALSE(to_->incomplete());
  expect_equal();
}

TEST_F(SnapshotTest, ReplacesWhatWasThere) {
  RecordMaker other;
  ASSERT_OK(to_->apply({{other.put("row-of-another-history", "x"),
                         other.of_kind(RecordKind::session_opened, {session_id(9), 0})}}));
  fill(10, 10);
  ASSERT_OK(to_->begin_snapshot());
  EXPECT_TRUE(rows_of(*to_).empty());
  move_all();
  expect_equal();
}

TEST_F(SnapshotTest, StaysIncompleteUntilTheLastTagIsPassed) {
  fill(1000, 300);
  ASSERT_OK(to_->begin_snapshot());
  ASSERT_OK(move_chunk());
  const Position first = *to_->snapshot_progress()->first_tag;
  apply({maker_.put("row-1000", "changed behind the cursor"), maker_.erase("row-1999"),
         maker_.put("row-1998", "ahead")});
  move_all();
  EXPECT_EQ(to_->applied(), first);
  EXPECT_EQ(to_->newest_time(), records_[first.lsn.value - 1]->record.time);
  EXPECT_TRUE(to_->incomplete());
  ASSERT_OK(to_->apply({{records_[first.lsn.value]}}));
  EXPECT_TRUE(to_->incomplete());
  to_.reset();
  to_ = open_tables(directory_ / "to");
  EXPECT_TRUE(to_->incomplete());
  catch_up();
  expect_equal();
  to_.reset();
  to_ = open_tables(directory_ / "to");
  expect_equal();
}

TEST_F(SnapshotTest, GoesOnWhereItWasInterrupted) {
  fill(1000, 300);
  ASSERT_OK(to_->begin_snapshot());
  ASSERT_OK(move_chunk());
  ASSERT_OK(move_chunk());
  const auto before = to_->snapshot_progress();
  to_.reset();
  to_ = open_tables(directory_ / "to");
  EXPECT_EQ(to_->newest_time(), records_.back()->record.time);
  const auto after = to_->snapshot_progress();
  ASSERT_TRUE(after);
  EXPECT_EQ(after->cursor, before->cursor);
  EXPECT_EQ(after->first_tag, before->first_tag);
  EXPECT_TRUE(to_->incomplete());
  apply({maker_.put("row-1000", "changed")});
  move_all();
  catch_up();
  expect_equal();
}

TEST_F(SnapshotTest, ChunksKeepTheirSizeWhateverTheRows) {
  apply({maker_.put("large", std::string(1'000'000, 'L')),
         maker_.put(std::string(480, 'k'), std::string(70'000, 'K')),
         maker_.of_kind(RecordKind::session_opened, {session_id(1), 0}),
         maker_.request({}, {session_id(1), 1}, std::string(300'000, 'r')),
         maker_.request({}, {session_id(1), 2}, "small"), maker_.put("small", "s")});
  std::string cursor;
  std::size_t chunks = 0;
  do {
    auto chunk = from_->read_snapshot(cursor, chunk_bytes);
    ASSERT_OK(chunk);
    std::size_t bytes = 0;
    for (const Change& row : chunk->rows) {
      EXPECT_LE(row.key.size(), 480U);
      bytes += row.key.size() + row.value->size();
    }
    EXPECT_LE(bytes, chunk_bytes + 1024);
    cursor = chunk->next;
    ++chunks;
  } while (!cursor.empty());
  EXPECT_GT(chunks, 20U);
  EXPECT_LT(chunks, 40U);
  ASSERT_OK(to_->begin_snapshot());
  move_all();
  expect_equal();
}

TEST_F(SnapshotTest, ALargeRowIsBegunAnewAfterARestart) {
  apply(
      {maker_.put("a", "before"), maker_.put("large", std::string(500'000, 'L')), maker_.put("z", "after")});
  ASSERT_OK(to_->begin_snapshot());
  for (int i = 0; i < 4; ++i) ASSERT_OK(move_chunk());
  to_.reset();
  to_ = open_tables(directory_ / "to");
  EXPECT_THAT(to_->snapshot_progress()->cursor, ::testing::HasSubstr("large"));
  move_all();
  expect_equal();
}

TEST_F(SnapshotTest, ALargeRowMayChangeOrGoWhileItIsSent) {
  for (const std::optional<std::string>& change :
       {std::optional(std::string(500'000, 'M')), std::optional(std::string(400'000, 'S')),
        std::optional<std::string>()}) {
    apply({maker_.put("a", "before"), maker_.put("large", std::string(500'000, 'L')),
           maker_.put("z", "after")});
    ASSERT_OK(to_->begin_snapshot());
    for (int i = 0; i < 4; ++i) ASSERT_OK(move_chunk());
    apply({maker_.request({{"large", change}})});
    move_all();
    EXPECT_TRUE(to_->incomplete());
    catch_up();
    expect_equal();
  }
}

TEST_F(SnapshotTest, SessionsMayChangeWhileTheyAreSent) {
  std::vector<RecordPtr> records;
  for (std::uint8_t s = 1; s <= 5; ++s)
    records.push_back(maker_.of_kind(RecordKind::session_opened, {session_id(s), 0}));
  for (std::uint64_t seq = 1; seq <= 50; ++seq) {
    for (std::uint8_t s = 1; s <= 5; ++s) {
      records.push_back(maker_.request({}, {session_id(s), seq}, std::string(seq == 25 ? 5000 : 100, 'r')));
    }
  }
  apply(records);
  ASSERT_OK(to_->begin_snapshot());
  std::uint64_t seq = 51;
  while (!rows_complete()) {
    ASSERT_OK(move_chunk(1000));
    Record acknowledging;
    acknowledging.sync = {session_id(static_cast<std::uint8_t>(seq % 5 + 1)), seq};
    acknowledging.ack_below = seq - 45;
    apply({maker_.make(acknowledging)});
    ++seq;
    if (seq == 60) apply({maker_.of_kind(RecordKind::session_closed, {session_id(3), 0})});
    if (seq == 61) apply({maker_.of_kind(RecordKind::session_opened, {session_id(200), 0})});
  }
  EXPECT_GT(seq, 61U);
  catch_up();
  expect_equal();
}

// Then the last chunk has no row at all.
TEST_F(SnapshotTest, TheLastReplyMayGoWhileItIsSent) {
  apply({maker_.of_kind(RecordKind::session_opened, {session_id(1), 0}),
         maker_.request({{"row", "value"}}, {session_id(1), 1}, std::string(5000, 'r'))});
  for (const bool in_memory : {false, true}) {
    if (in_memory) to_ = make_memory_tables();
    ASSERT_OK(to_->begin_snapshot());
    while (to_->snapshot_progress()->cursor.empty() || to_->snapshot_progress()->cursor[0] != 'f') {
      ASSERT_FALSE(rows_complete());
      ASSERT_OK(move_chunk(1000));
    }
    const SessionId session = session_id(in_memory ? 2 : 1);
    apply({maker_.of_kind(RecordKind::session_closed, {session, 0})});
    move_all(1000);
    catch_up();
    expect_equal();
    apply({maker_.of_kind(RecordKind::session_opened, {session_id(2), 0}),
           maker_.request({}, {session_id(2), 1}, std::string(5000, 'r'))});
  }
}

TEST_F(SnapshotTest, ASnapshotThatEndsInTheMidstOfARowIsRefused) {
  apply({maker_.put("large", std::string(5000, 'L'))});
  ASSERT_OK(to_->begin_snapshot());
  auto chunk = from_->read_snapshot("", 1000);
  ASSERT_OK(chunk);
  chunk->next.clear();
  EXPECT_EQ(code_of(to_->install(*chunk)), Code::malformed);
  move_all(1000);
  expect_equal();
}

TEST_F(SnapshotTest, MalformedChunksChangeNothingStored) {
  fill(10, 10);
  ASSERT_OK(to_->begin_snapshot());
  auto chunk = from_->read_snapshot("", chunk_bytes);
  ASSERT_OK(chunk);
  const auto refused = [&](SnapshotChunk bad) {
    EXPECT_EQ(code_of(to_->install(bad)), Code::malformed);
    EXPECT_TRUE(rows_of(*to_).empty());
    EXPECT_EQ(to_->snapshot_progress()->cursor, "");
  };
  for (const auto& bad_row :
       {Change{"x", std::string("\x01\x00qv", 4)}, Change{"r", "s"}, Change{"rr", "value"},
        Change{"r", std::nullopt}, Change{"f", std::string(40, '\1')},
        Change{"r", std::string("\xff\x01") + std::string(600, 'k')}}) {
    SnapshotChunk bad = *chunk;
    bad.rows.push_back(bad_row);
    refused(bad);
  }
  EXPECT_EQ(code_of(from_->read_snapshot("nonsense", chunk_bytes)), Code::malformed);
  EXPECT_EQ(code_of(from_->read_snapshot("f", chunk_bytes)), Code::malformed);
  EXPECT_EQ(code_of(from_->read_snapshot("i", chunk_bytes)), Code::malformed);
  ASSERT_OK(to_->install(*chunk));
  expect_equal();
}

TEST_F(SnapshotTest, GoesFromAndToTablesInMemory) {
  to_ = make_memory_tables();
  fill(500, 300);
  apply({maker_.put("large", std::string(200'000, 'L'))});
  ASSERT_OK(to_->begin_snapshot());
  ASSERT_OK(move_chunk());
  apply({maker_.put("row-1001", "changed")});
  move_all();
  catch_up();
  expect_equal();
  auto third = open_tables(directory_ / "third");
  std::swap(from_, to_);
  to_ = std::move(third);
  ASSERT_OK(to_->begin_snapshot());
  move_all();
  expect_equal();
}

// Any history, any chunk size, any interleaving of chunks, records and restarts: the digests are equal in the
// end.
RC_GTEST_PROP(SnapshotProperty, EndsWithEqualDigests, ()) {
  const TempDir directory;
  auto from = make_memory_tables();
  auto to = *rc::gen::arbitrary<bool>() ? make_memory_tables() : open_tables(directory / "to");
  RecordMaker maker;
  std::vector<RecordPtr> records;
  std::uint64_t seq = 1;
  const auto change = [&] {
    const auto session = session_id(*rc::gen::inRange<std::uint8_t>(1, 5));
    const int kind = *rc::gen::inRange(0, 10);
    RecordPtr record;
    if (kind == 0) {
      record = maker.of_kind(RecordKind::session_closed, {session, 0});
    } else if (kind <= 2) {
      // An id is never used twice; opening an open one stands for that here.
      const auto sessions = from->sessions();
      const bool used =
          std::ranges::any_of(records, [&](const auto& r) { return r->record.sync.session == session; });
      record = used ? maker.put("k", "v") : maker.of_kind(RecordKind::session_opened, {session, 0});
    } else {
      Record request;
      request.sync = {session, seq++};
      request.ack_below = seq > 10 ? seq - *rc::gen::inRange<std::uint64_t>(1, 10) : 0;
      request.reply = std::string(*rc::gen::inRange<std::size_t>(0, 400), 'r');
      for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
        const auto key = "key" + std::to_string(*rc::gen::inRange(0, 12));
        if (*rc::gen::inRange(0, 4) == 0) {
          request.changes.push_back({key, std::nullopt});
        } else {
          request.changes.push_back(
              {key, std::string(*rc::gen::inRange<std::size_t>(0, 500), 'v') + std::to_string(seq)});
        }
      }
      record = maker.make(std::move(request));
    }
    records.push_back(record);
    RC_ASSERT(from->apply({{record}}).has_value());
  };
  for (int i = *rc::gen::inRange(0, 40); i > 0; --i) change();
  RC_ASSERT(to->begin_snapshot().has_value());
  for (;;) {
    const auto progress = to->snapshot_progress();
    if (!progress || progress->rows_complete) break;
    const auto chunk = from->read_snapshot(progress->cursor, *rc::gen::inRange<std::size_t>(100, 2000));
    RC_ASSERT(chunk.has_value());
    const auto installed = to->install(*chunk);
    if (!installed) RC_FAIL(installed.error().text);
    for (int i = *rc::gen::inRange(0, 4); i > 0 && records.size() < 80; --i) change();
  }
  const std::vector<RecordPtr> tail(records.begin() + static_cast<std::ptrdiff_t>(to->applied().lsn.value),
                                    records.end());
  RC_ASSERT(to->apply(tail).has_value());
  RC_ASSERT(!to->incomplete());
  RC_ASSERT(*to->digest() == *from->digest());
}

}  // namespace
}  // namespace pollux::testing
