#include "http/http_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pollux {
namespace {

using ::testing::HasSubstr;

// The whole text, in pieces of so many bytes; how many bytes of it were taken.
std::size_t feed(HttpReader& reader, std::string_view text, std::size_t piece) {
  reader.begin(true);
  std::size_t taken = 0;
  for (std::size_t at = 0; at < text.size() && !reader.done() && reader.wrong().empty(); at += piece) {
    taken += reader.take(text.substr(at, piece));
  }
  return taken;
}

class EveryPiece : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryPiece, OfAnAnswerWithALengthIsTakenAndNoMore) {
  constexpr std::string_view answer =
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a-1\"\r\nContent-Type: text/calendar\r\n\r\nhello";
  HttpReader reader;
  EXPECT_EQ(feed(reader, std::string(answer) + "HTTP/1.1 404", GetParam()), answer.size());
  ASSERT_TRUE(reader.done()) << reader.wrong();
  EXPECT_EQ(reader.head().status, 200);
  EXPECT_EQ(reader.head().etag, "\"a-1\"");
  EXPECT_TRUE(reader.head().keep_alive);
  EXPECT_EQ(reader.body(), "hello");
  EXPECT_EQ(reader.body_bytes(), 5U);
}

TEST_P(EveryPiece, OfAnAnswerInChunksIsTaken) {
  HttpReader reader;
  feed(reader,
       "HTTP/1.1 207 Multi-Status\r\ntransfer-encoding: Chunked\r\n\r\n4;x=y\r\nwiki\r\nA\r\n and a tail\r\n"
       "0\r\nTrailer: 1\r\n\r\n",
       GetParam());
  EXPECT_THAT(reader.wrong(), HasSubstr("a chunk is longer than it said"));
  feed(reader,
       "HTTP/1.1 207 Multi-Status\r\ntransfer-encoding: Chunked\r\n\r\n4;x=y\r\nwiki\r\nB\r\n and a tail\r\n"
       "0\r\nTrailer: 1\r\n\r\n",
       GetParam());
  ASSERT_TRUE(reader.done()) << reader.wrong();
  EXPECT_EQ(reader.body(), "wiki and a tail");
}

TEST_P(EveryPiece, AfterAnInterimAnswerIsTheRealOnes) {
  HttpReader reader;
  feed(reader, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
       GetParam());
  ASSERT_TRUE(reader.done()) << reader.wrong();
  EXPECT_EQ(reader.head().status, 204);
  EXPECT_FALSE(reader.head().keep_alive);
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryPiece, ::testing::Values(1, 2, 3, 7, 1000));

TEST(HttpReaderTest, HttpOneZeroEndsItsBodyWithTheConnectionAndKeepsNone) {
  HttpReader reader;
  feed(reader, "HTTP/1.0 200 OK\r\n\r\nall of it", 4);
  EXPECT_FALSE(reader.done());
  reader.closed();
  ASSERT_TRUE(reader.done()) << reader.wrong();
  EXPECT_EQ(reader.body(), "all of it");
  EXPECT_FALSE(reader.head().keep_alive);
}

TEST(HttpReaderTest, HttpOneZeroMayKeepTheConnectionIfItSaysSo) {
  HttpReader reader;
  feed(reader, "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n", 100);
  ASSERT_TRUE(reader.done());
  EXPECT_TRUE(reader.head().keep_alive);
}

TEST(HttpReaderTest, AnAnswerThatIsCutOffIsWrong) {
  HttpReader reader;
  feed(reader, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", 100);
  reader.closed();
  EXPECT_THAT(reader.wrong(), HasSubstr("within an answer"));
  reader.begin(false);
  reader.closed();
  EXPECT_THAT(reader.wrong(), HasSubstr("without an answer"));
}

TEST(HttpReaderTest, WhatIsNoHttpIsWrong) {
  for (const std::string_view text :
       {"SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 2xx OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    HttpReader reader;
    feed(reader, text, 1000);
    EXPECT_FALSE(reader.wrong().empty()) << text;
  }
  HttpReader reader;
  reader.begin(false);
  reader.take("HTTP/1.1 200 OK\r\n" + std::string(HttpReader::head_bytes_max, 'x'));
  EXPECT_THAT(reader.wrong(), HasSubstr("longer than 64 KiB"));
}

}  // namespace
}  // namespace pollux
