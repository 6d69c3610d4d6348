// The real curl, as the README shows it.
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

class CurlTest : public GatewayTest {
 protected:
  void SetUp() override {
    if (std::system("command -v curl >/dev/null 2>&1") != 0) GTEST_SKIP() << "curl is not installed";
    start({});
    std::string name = "/tmp/pollux-curl-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory = name;
  }
  void TearDown() override {
    if (!directory.empty()) std::filesystem::remove_all(directory);
  }

  /// What curl prints: the status, with -w.
  std::string curl(const std::string& arguments) const {
    const std::string command = "cd " + directory +
                                " && curl -sS -m 60 -u 'alice:wonder land' -w '%{http_code}' " + arguments +
                                " 2>&1";
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string output;
    std::array<char, 4096> part;
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe))
      output.append(part.data(), count);
    ::pclose(pipe);
    return output;
  }
  [[nodiscard]] std::string url(const std::string& path) const {
    return "'http://" + server->listening() + path + "'";
  }

  std::string directory;
};

TEST_F(CurlTest, StoresFetchesListsAndDeletes) {
  const std::string file = std::string(POLLUX_TEST_DATA) + "/fold_in_utf8.ics";
  EXPECT_EQ(curl("-T " + file + " " + url(calendar + "a.ics")), "201");
  EXPECT_EQ(curl("-o back.ics " + url(calendar + "a.ics")), "200");
  EXPECT_EQ(std::system(("cmp -s " + file + " " + directory + "/back.ics").c_str()), 0);
  EXPECT_NE(curl("-X PROPFIND -H 'Depth: 1' " + url(calendar)).find(calendar + "a.ics"), std::string::npos);
  EXPECT_EQ(curl("-T " + file + " -H 'If-None-Match: *' -o out " + url(calendar + "a.ics")), "412");
  EXPECT_EQ(curl("-X DELETE " + url(calendar + "a.ics")), "204");
  EXPECT_EQ(curl("-o out " + url(calendar + "a.ics")), "404");
}

TEST_F(CurlTest, ALargeFileIsSentAfterAContinueAndChunked) {
  const std::string file = std::string(POLLUX_TEST_DATA) + "/big_attachment.ics";
  EXPECT_EQ(curl("-T " + file + " -H 'Expect: 100-continue' " + url(calendar + "big.ics")), "201");
  EXPECT_EQ(curl("-T - " + url(calendar + "big.ics") + " < " + file), "204");
  EXPECT_EQ(curl("--http1.0 -o back.ics " + url(calendar + "big.ics")), "200");
  EXPECT_EQ(std::system(("cmp -s " + file + " " + directory + "/back.ics").c_str()), 0);
}

TEST_F(CurlTest, OddNamesAndPathsThatClimb) {
  const std::string file = std::string(POLLUX_TEST_DATA) + "/plain.ics";
  EXPECT_EQ(curl("-T " + file + " " + url(calendar + "a%20b%2Fc@d+e%25.ics")), "201");
  EXPECT_EQ(curl("-o out " + url(calendar + "a%20b%2Fc%40d+e%25.ics")), "200");
  EXPECT_EQ(curl("--path-as-is -o out " + url("/dav/calendars/alice/../../../etc/passwd")), "400");
}

TEST_F(CurlTest, AMistakeGetsASentence) {
  const std::string file = std::string(POLLUX_TEST_DATA) + "/plain.ics";
  EXPECT_NE(curl("-X PUT --data-binary @" + file + " " + url(calendar + "a.ics")).find("use -T FILE"),
            std::string::npos);
  EXPECT_EQ(curl("-u alice:wrong -o out " + url("/")), "401");
}

}  // namespace
}  // namespace pollux::testing
