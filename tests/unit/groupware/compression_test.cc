// gzip of answers: who gets it, for what, and that an item has one ETag whatever is asked for.
#include "http/compression.h"

#include <zlib.h>

#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

std::string unpacked(std::string packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(64u << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(AcceptEncoding, IsReadWithItsWeights) {
  const auto accepts = [](const char* value) {
    HttpRequest request;
    request.headers = {{"Accept-Encoding", value}};
    return accepts_gzip(request);
  };
  for (const char* yes : {"gzip", "GZIP", "x-gzip", "deflate, gzip", "gzip;q=0.5", "gzip; q=1.000", "*",
                          "br;q=1, *;q=0.1", "gzip;q=0.5, identity;q=0.5", " gzip ,", "gzip;x=y;q=1"}) {
    EXPECT_TRUE(accepts(yes)) << yes;
  }
  for (const char* no :
       {"", "identity", "deflate", "gzip;q=0", "gzip; q=0.000", "*;q=0", "gzip;q=0, *", "gzip;q=x",
        "gzip;q=", "gzip;q=-1", "gzip;q=2", "gzip;q=nan", "identity;q=1, gzip;q=0.5", "gzipped", ",,;"}) {
    EXPECT_FALSE(accepts(no)) << no;
  }
  EXPECT_FALSE(accepts_gzip(HttpRequest()));
}

TEST(Compressible, IsLargeTextWithoutAnEtag) {
  const GatewayLimits limits;
  const auto answer = [&](const char* type, std::size_t bytes, const std::string& more = {}) {
    HttpResponse response;
    response.add("Content-Type", type);
    response.headers += more;
    response.body = std::string(bytes, 'x');
    return is_compressible(response, limits);
  };
  for (const char* type :
       {"text/plain", "TEXT/html; charset=utf-8", "application/xml", "image/svg+xml", "text/calendar"})
    EXPECT_TRUE(answer(type, limits.gzip_bytes_min)) << type;
  for (const char* type : {"image/png", "application/octet-stream", "", "text", "application/xmlx", "+xml"})
    EXPECT_FALSE(answer(type, 100'000)) << type;
  EXPECT_FALSE(answer("text/plain", limits.gzip_bytes_min - 1));
  EXPECT_FALSE(answer("text/plain", 100'000, "eTag: \"1\"\r\n"));
  EXPECT_FALSE(answer("text/plain", 100'000, "Content-Encoding: br\r\n"));
  EXPECT_FALSE(answer("text/plain", 100'000, "Cache-Control: no-store, no-transform\r\n"));
}

TEST(Compress, LeavesWhatWouldNotGetSmaller) {
  HttpResponse response;
  unsigned state = 1;
  while (response.body.size() < 5000)
    response.body += static_cast<char>((state = state * 1103515245 + 12345) >> 23);
  const auto before = response.body;
  compress(response);
  EXPECT_EQ(response.body, before);
  EXPECT_FALSE(response.header("Content-Encoding"));
}

class CompressionTest : public GatewayTest {
 protected:
  /// Stores items until a listing is at least that large.
  void fill(HttpClient& client, int items) {
    for (int number = 0; number < items; ++number) {
      const auto name = "item-" + std::to_string(number);
      ASSERT_EQ(client.request("PUT", calendar + name + ".ics", {}, event(name)).status, 201);
    }
  }
};

TEST_F(CompressionTest, AListingIsCompressedForThoseWhoTakeIt) {
  auto client = connect();
  fill(client, 20);
  const auto plain = client.request("PROPFIND", calendar, "Depth: 1\r\n");
  EXPECT_EQ(plain.header("content-encoding"), "");
  EXPECT_EQ(plain.header("vary"), "Accept-Encoding");
  ASSERT_LT(plain.body.size(), GatewayLimits().gzip_inline_bytes_max);
  const auto packed = client.request("PROPFIND", calendar, "Depth: 1\r\nAccept-Encoding: gzip, deflate\r\n");
  EXPECT_EQ(packed.status, 207);
  EXPECT_EQ(packed.header("content-encoding"), "gzip");
  EXPECT_EQ(packed.header("vary"), "Accept-Encoding");
  EXPECT_LT(packed.body.size() * 4, plain.body.size());
  EXPECT_EQ(unpacked(packed.body), plain.body);
  EXPECT_EQ(client.request("PROPFIND", calendar, "Depth: 1\r\nAccept-Encoding: gzip;q=0\r\n").body,
            plain.body);
}

TEST_F(CompressionTest, ALargeListingIsCompressedElsewhereAndComesInOrder) {
  GatewayLimits limits;
  limits.gzip_inline_bytes_max = 2000;
  start(limits);
  auto client = connect();
  fill(client, 20);
  const auto plain = client.request("PROPFIND", calendar, "Depth: 1\r\n");
  ASSERT_GT(plain.body.size(), limits.gzip_inline_bytes_max);
  const std::string head =
      " HTTP/1.1\r\nHost: x\r\nDepth: 1\r\nAccept-Encoding: gzip\r\n" + authorization(client.login) + "\r\n";
  client.send("PROPFIND " + calendar + head + "GET " + calendar + "none" + head + "PROPFIND " + calendar +
              head);
  EXPECT_EQ(unpacked(client.receive()->body), plain.body);
  EXPECT_EQ(client.receive()->status, 404);
  EXPECT_EQ(unpacked(client.receive()->body), plain.body);
}

TEST_F(CompressionTest, WithTheThreadBusyAnswersAreSentAsTheyAre) {
  GatewayLimits limits;
  limits.gzip_inline_bytes_max = 2000;
  limits.gzip_queue_max = 0;
  start(limits);
  auto client = connect();
  fill(client, 20);
  const auto answer = client.request("PROPFIND", calendar, "Depth: 1\r\nAccept-Encoding: gzip\r\n");
  EXPECT_EQ(answer.status, 207);
  EXPECT_EQ(answer.header("content-encoding"), "");
}

TEST_F(CompressionTest, AnItemHasOneFormAndOneEtagThatIfMatchTakes) {
  auto client = connect();
  const auto large = event("a", "X-PAD:" + std::string(5000, 'x') + "\r\n");
  ASSERT_EQ(client.request("PUT", calendar + "a.ics", {}, large).status, 201);
  const auto asked = client.request("GET", calendar + "a.ics", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(asked.header("content-encoding"), "");
  EXPECT_EQ(asked.body, large);
  EXPECT_EQ(asked.header("etag"), client.request("GET", calendar + "a.ics").header("etag"));
  EXPECT_EQ(client
                .request("GET", calendar + "a.ics",
                         "Accept-Encoding: gzip\r\nIf-None-Match: " + asked.header("etag") + "\r\n")
                .status,
            304);
  EXPECT_EQ(
      client.request("PUT", calendar + "a.ics", "If-Match: " + asked.header("etag") + "\r\n", event("a"))
          .status,
      204);
}

}  // namespace
}  // namespace pollux::testing
