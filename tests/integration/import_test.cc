// `pollux import` of a large file into a running groupware pair, the primary killed meanwhile.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>

#include "integration/groupware_fixture.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

class ImportTest : public GroupwareFixture {
 protected:
  /// One event of the file; every tenth is long, every hundredth has an attachment of 200 kB.
  static std::string event(std::size_t number) {
    std::string text =
        "BEGIN:VEVENT\r\nUID:" + uid(number) +
        "\r\nDTSTAMP:20240101T000000Z\r\nDTSTART:20240101T090000Z\r\nDURATION:PT1H\r\nSUMMARY:Event " +
        std::to_string(number) + "\r\n";
    if (number % 10 == 0) text += "DESCRIPTION:" + std::string(4000, 'd') + "\r\n";
    if (number % 100 == 0) text += "X-ATTACHMENT:" + std::string(200'000, 'a') + "\r\n";
    return text + "END:VEVENT\r\n";
  }
  static std::string uid(std::size_t number) { return "event-" + std::to_string(number) + "@import.test"; }
  std::filesystem::path write_file(std::size_t events) {
    const auto file = pair().home() / "large.ics";
    std::ofstream out(file, std::ios::binary);
    out << "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n";
    for (std::size_t number = 1; number <= events; ++number) out << event(number);
    out << "END:VCALENDAR\r\n";
    return file;
  }
  void expect_stored(std::size_t number) {
    const auto path = std::string("/dav/calendars/") + user + "/default/" + uid(number) + ".ics";
    const auto answer = client().send("GET", path);
    ASSERT_EQ(answer.status, 200) << path << ": " << answer.body;
    EXPECT_THAT(answer.body, HasSubstr(event(number)));
  }
};

TEST_F(ImportTest, ALargeFileIsStoredWholeThoughThePrimaryIsKilledMeanwhile) {
  constexpr std::size_t events = 4000;  // 11 MB
  const auto file = write_file(events);
  const auto lsn_before = status(primary()).committed;
  auto import = ChildProcess::start({.argv = {pollux_command(), "--config", pair().config_file().string(),
                                              "import", file.string(), "--user", user},
                                     .environment = {},
                                     .output = pair().home() / "import.out"});
  ASSERT_TRUE(import) << import.error().text;
  for (const std::uint64_t part : {1, 2}) {
    wait_until("a part of the file to be stored", [&] {
      const auto serving = pair().primary();
      const auto told =
          serving ? pair().status(*serving) : Result<MemberStatus>(std::unexpected(serving.error()));
      return told && told->committed > lsn_before + part * events / 4;
    });
    ASSERT_TRUE((*import)->running()) << "killed too late for this test to mean anything";
    kill_member(primary());
  }
  const auto ended = (*import)->wait(std::chrono::seconds(240));
  std::ifstream in(pair().home() / "import.out");
  const std::string said((std::istreambuf_iterator<char>(in)), {});
  ASSERT_TRUE(ended) << said;
  EXPECT_EQ(WEXITSTATUS(*ended), 0) << said;
  EXPECT_THAT(said, HasSubstr("4000 items imported into anna/default (4000 new, 0 replaced)"));
  for (const std::size_t number : {1, 10, 100, 1999, 2500, 4000}) expect_stored(number);

  // Once more changes nothing but versions: nothing is there twice.
  const auto again = pollux({"import", file.string(), "--user", user});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("(0 new, 4000 replaced)"));
  wait_in_sync();
  wait_until("both members to have everything", [this] { return pair().settled(); });
  trail_->follow({});
  trail_->compare_members();
}

TEST_F(ImportTest, WhatIsBrokenInALargeFileIsNamedAndTheRestIsStored) {
  std::string file = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n";
  for (std::size_t number = 1; number <= 300; ++number) {
    file += number % 150 == 0
                ? "BEGIN:VEVENT\r\nUID:" + uid(number) + "\r\nDTSTART:not a time\r\nEND:VEVENT\r\n"
                : event(number);
  }
  const auto result = pollux({"import", "-", "--user", user}, file + "END:VCALENDAR\r\n");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("component 150"));
  EXPECT_THAT(result.output, HasSubstr("component 300"));
  EXPECT_THAT(result.output, HasSubstr("298 items imported into anna/default (298 new, 0 replaced); 2 not"));
  expect_stored(299);
}

TEST_F(ImportTest, AFileAboveTheLimitIsRefusedInOneLineAndNothingIsStored) {
  const auto file = pair().home() / "huge.ics";
  std::ofstream(file) << "BEGIN:VCALENDAR\r\n";
  std::filesystem::resize_file(file, (256u << 20) + 1);  // a hole: takes no room
  const auto before = status(primary()).committed;
  const auto result = pollux({"import", file.string(), "--user", user});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("larger than 256 MiB; split it"));
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  EXPECT_EQ(status(primary()).committed, before);
}

}  // namespace
}  // namespace pollux::testing
