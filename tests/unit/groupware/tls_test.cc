// TLS at the gateway, with the real curl and openssl: what is spoken, what is refused, slow handshakes, and
// new certificates without a stop.
#include <chrono>
#include <fstream>
#include <thread>

#include "certificate.h"
#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

using namespace std::chrono_literals;
using std::filesystem::copy_options;

class TlsTest : public GatewayTest {
 protected:
  void SetUp() override {
    if (!has_program("curl") || !has_program("openssl")) GTEST_SKIP() << "curl or openssl is not installed";
    std::string name = "/tmp/pollux-tls-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory = name;
    files = make_certificate(directory, "first");
    open({});
  }
  void TearDown() override {
    server.reset();
    if (!directory.empty()) std::filesystem::remove_all(directory);
  }

  void open(const GatewayLimits& limits) {
    server.reset();
    auto owned = std::make_unique<FakePair>();
    pair = owned.get();
    pair->add_user("alice", "wonder land");
    auto opened = GatewayServer::open({.listen = "127.0.0.1:0", .threads = 2, .limits = limits, .tls = files},
                                      std::move(owned));
    ASSERT_TRUE(opened) << opened.error().text;
    server = std::move(*opened);
  }
  static std::string open_error(const TlsFiles& bad) {
    const auto opened = GatewayServer::open({.listen = "127.0.0.1:0", .threads = 1, .limits = {}, .tls = bad},
                                            std::make_unique<FakePair>());
    EXPECT_FALSE(opened);
    if (opened) return "";
    EXPECT_EQ(opened.error().code, Code::bad_config);
    return opened.error().text;
  }

  [[nodiscard]] std::string curl(const std::string& arguments) const {
    return output_of("cd " + directory.string() + " && curl -sS -m 60 --cacert " +
                     files.certificate.string() + " -u 'alice:wonder land' -w '%{http_code}' " + arguments);
  }
  [[nodiscard]] std::string url(const std::string& path) const {
    return "'https://" + server->listening() + path + "'";
  }
  [[nodiscard]] std::string s_client(const std::string& options,
                                     const std::string& input = "</dev/null") const {
    return output_of("timeout 60 openssl s_client -connect " + server->listening() + " " + options + " " +
                     input);
  }
  void replace(const std::filesystem::path& from, const std::filesystem::path& to) const {
    const auto beside = directory / "new";
    std::filesystem::copy_file(from, beside, copy_options::overwrite_existing);
    std::filesystem::rename(beside, to);
  }

  std::filesystem::path directory;
  TlsFiles files;
};

TEST_F(TlsTest, CurlStoresAndFetchesOverIt) {
  const std::string file = std::string(POLLUX_TEST_DATA) + "/big_attachment.ics";
  EXPECT_EQ(curl("-T " + file + " -H 'Expect: 100-continue' " + url(calendar + "big.ics")), "201");
  EXPECT_EQ(curl("-T - " + url(calendar + "big.ics") + " < " + file), "204");
  EXPECT_EQ(curl("-o back.ics " + url(calendar + "big.ics")), "200");
  EXPECT_EQ(std::system(("cmp -s " + file + " " + (directory / "back.ics").string()).c_str()), 0);
  EXPECT_EQ(curl("-X DELETE " + url(calendar + "big.ics")), "204");
}

TEST_F(TlsTest, ConnectionsAreKeptAndSpeakHttp11) {
  EXPECT_EQ(curl("--http2 -o out -w ' %{http_version} %{num_connects}\\n' " + url("/dav/") + " -o out " +
                 url("/dav/")),
            " 1.1 1\n 1.1 0\n");
  const auto said = s_client("-alpn h2,http/1.1");
  EXPECT_NE(said.find("ALPN protocol: http/1.1"), std::string::npos) << said;
}

TEST_F(TlsTest, Tls12IsTheOldestVersionAndH2AloneIsRefused) {
  EXPECT_NE(s_client("-tls1_3").find("New, TLSv1.3"), std::string::npos);
  EXPECT_NE(s_client("-tls1_2").find("New, TLSv1.2"), std::string::npos);
  for (const char* old : {"-tls1_1", "-tls1"}) {
    const auto said = s_client(std::string(old) + " -cipher DEFAULT@SECLEVEL=0");
    EXPECT_NE(said.find("Cipher is (NONE)"), std::string::npos) << said;
  }
  const auto said = s_client("-alpn h2");
  EXPECT_NE(said.find("no application protocol"), std::string::npos) << said;
}

TEST_F(TlsTest, AConnectionThatEndsSaysSo) {
  const std::string request = "GET /dav/ HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n";
  const auto said = output_of("printf '" + request + "' | timeout 60 openssl s_client -ign_eof -connect " +
                              server->listening());
  EXPECT_NE(said.find("HTTP/1.1 401"), std::string::npos) << said;
  EXPECT_EQ(said.find("unexpected eof"), std::string::npos) << said;
  EXPECT_NE(said.find("closed"), std::string::npos) << said;
}

TEST_F(TlsTest, ARefusalOfALargeBodyReachesTheClient) {
  GatewayLimits limits;
  limits.body_bytes_max = 1000;
  open(limits);
  const std::string file = std::string(POLLUX_TEST_DATA) + "/big_attachment.ics";
  EXPECT_EQ(curl("-H 'Expect:' -o out -T " + file + " " + url(calendar + "a.ics")), "413");
}

TEST_F(TlsTest, PlainHttpGetsAClearAnswerAndGarbageIsClosed) {
  for (const char* method : {"GET", "PROPFIND"}) {
    HttpClient client(server->port());
    const auto answer = client.request(method, "/dav/");
    EXPECT_EQ(answer.status, 400) << method;
    EXPECT_NE(answer.body.find("https://"), std::string::npos);
    EXPECT_TRUE(client.is_closed());
  }
  for (const std::string& bytes :
       {std::string(100, '\0'), std::string("\x16\x03\x01\xff\xff") + std::string(100, 'x'),
        std::string("\x80\x2e\x01\x00\x02")}) {
    HttpClient client(server->port());
    client.send(bytes);
    client.finish_sending();
    EXPECT_EQ(client.receive(), std::nullopt);
  }
  EXPECT_EQ(curl("-o out " + url("/dav/")), "200");
}

TEST_F(TlsTest, ASlowHandshakeIsEndedWhileOthersAreServed) {
  GatewayLimits limits;
  limits.tls_handshake = 300ms;
  limits.sweep = 20ms;
  open(limits);
  HttpClient silent(server->port()), begun(server->port()), trickle(server->port());
  begun.send(std::string_view("\x16\x03\x01\x02\x00\x01\x00", 7));  // a ClientHello that doesn't go on
  EXPECT_EQ(curl("-o out " + url("/dav/")), "200");
  EXPECT_TRUE(silent.is_closed());
  EXPECT_EQ(begun.receive(), std::nullopt);
  // Byte by byte does not help: a record of 16 KiB is announced.
  const auto until = std::chrono::steady_clock::now() + 20s;
  trickle.send(std::string_view("\x16\x03\x01\x3f\xff\x01\x00\x3f\xfb", 9));
  while (trickle.send("x") && std::chrono::steady_clock::now() < until) {
  }
  EXPECT_LT(std::chrono::steady_clock::now(), until);
}

TEST_F(TlsTest, SilentHandshakesMakeRoom) {
  GatewayLimits limits;
  limits.connections_max = 4;
  open(limits);
  std::vector<std::unique_ptr<HttpClient>> silent;
  for (int number = 0; number < 20; ++number) silent.push_back(std::make_unique<HttpClient>(server->port()));
  EXPECT_EQ(curl("-o out " + url("/dav/")), "200");
  // The connection that had to go is counted until its end is known.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (server->connections() > 4 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_LE(server->connections(), 4U);
}

TEST_F(TlsTest, ANewCertificateIsUsedWithoutAStop) {
  EXPECT_EQ(server->refresh_certificate(false), false);
  const auto second = make_certificate(directory, "second");
  replace(second.certificate, files.certificate);
  replace(second.key, files.key);
  EXPECT_EQ(server->refresh_certificate(false), true);
  EXPECT_EQ(server->refresh_certificate(false), false);
  const auto said = s_client("");
  EXPECT_NE(said.find("CN = second"), std::string::npos) << said;
  EXPECT_EQ(curl("-o out " + url("/dav/")), "200");
  EXPECT_EQ(server->refresh_certificate(true), true);
}

TEST_F(TlsTest, ABadNewCertificateIsToldOnceAndTheOldOneStays) {
  const auto second = make_certificate(directory, "second");
  const auto expect_refused = [this](const std::string& why) {
    const auto refreshed = server->refresh_certificate(false);
    ASSERT_FALSE(refreshed) << why;
    EXPECT_NE(refreshed.error().text.find(why), std::string::npos) << refreshed.error().text;
    EXPECT_EQ(refreshed.error().text.find('\n'), std::string::npos);
    EXPECT_EQ(server->refresh_certificate(false), false) << "told once";
    EXPECT_NE(s_client("").find("CN = first"), std::string::npos);
  };
  const auto kept = directory / "kept";
  std::filesystem::copy_file(files.key, kept);
  replace(second.key, files.key);
  expect_refused(files.certificate.string());  // it belongs to another
  std::ofstream(files.key, std::ios::trunc) << "nonsense";
  expect_refused("no private key");
  std::filesystem::remove(files.key);
  expect_refused("can't read " + files.key.string());
  replace(kept, files.key);
  EXPECT_EQ(server->refresh_certificate(false), true);
  EXPECT_EQ(curl("-o out " + url("/dav/")), "200");
}

TEST_F(TlsTest, WhatCanNotBeUsedIsSaidAtStart) {
  EXPECT_NE(open_error({directory / "none.pem", files.key}).find("none.pem"), std::string::npos);
  EXPECT_NE(open_error({files.key, files.key}).find("no certificate"), std::string::npos);
  EXPECT_NE(open_error({files.certificate, files.certificate}).find("no private key"), std::string::npos);
  EXPECT_NE(open_error({directory, files.key}).find("can't read"), std::string::npos);
  const auto other = make_certificate(directory, "other");
  EXPECT_NE(open_error({files.certificate, other.key}).find("other.key"), std::string::npos);
  const auto locked = directory / "locked.key";
  output_of("openssl ec -aes256 -passout pass:secret -in " + files.key.string() + " -out " + locked.string());
  ASSERT_TRUE(std::filesystem::exists(locked));
  EXPECT_NE(open_error({files.certificate, locked}).find("passphrase"), std::string::npos);
}

TEST_F(TlsTest, WithItAnyAddressIsListenedOn) {
  for (const char* listen : {"0.0.0.0:0", "[::]:0"}) {
    const auto opened = GatewayServer::open({.listen = listen, .threads = 1, .limits = {}, .tls = files},
                                            std::make_unique<FakePair>());
    ASSERT_TRUE(opened) << listen << ": " << opened.error().text;
  }
}

}  // namespace
}  // namespace pollux::testing
