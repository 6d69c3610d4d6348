// `pollux export` and `pollux import` of whole calendars and address books: what was exported can be imported
// elsewhere, and is the same.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "integration/groupware_fixture.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ExportTest : public GroupwareFixture {
 protected:
  HttpAnswer http(const std::string& method, const std::string& path, const std::string& body = "") {
    return client().send(method, path, body);
  }
  /// Exports into a file, and reads it.
  std::string exported(const std::string& name) {
    const auto file = pair().home() / "exported";
    const auto result = pollux({"export", name, "--user", user, "--output", file.string()});
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_FALSE(std::filesystem::exists(file.string() + ".part"));
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The components of a file in some order that does not depend on the server's.
  static std::vector<std::string> sorted_components(const std::string& file, const std::string& kind) {
    std::vector<std::string> out;
    for (std::size_t at = 0; (at = file.find("BEGIN:" + kind, at)) != std::string::npos;) {
      const std::size_t end = file.find("END:" + kind, at);
      out.push_back(file.substr(at, end - at));
      at = end;
    }
    std::ranges::sort(out);
    return out;
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
    return found;
  }
  static std::string zone(const std::string& offset) {
    return "BEGIN:VTIMEZONE\r\nTZID:Office\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:" +
           offset + "\r\nTZOFFSETTO:" + offset + "\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";
  }
  static std::string event(const std::string& uid, const std::string& more = "") {
    return "BEGIN:VEVENT\r\nUID:" + uid +
           "\r\nDTSTAMP:20240101T000000Z\r\nDTSTART;TZID=Office:20240101T090000\r\nDURATION:PT1H\r\nSUMMARY:A"
           " long\r\n  line that is folded\r\nX-lower;x=y:z\r\n" +
           more + "END:VEVENT\r\n";
  }
  static std::string calendar(const std::string& inside) {
    return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n" + inside + "END:VCALENDAR\r\n";
  }
  static std::string card(const std::string& uid, const std::string& name) {
    return "BEGIN:VCARD\r\nVERSION:3.0\r\n" + (uid.empty() ? "" : "UID:" + uid + "\r\n") + "FN:" + name +
           "\r\nN:" + name + ";;;;\r\nNOTE:folded\r\n  here\r\nEND:VCARD\r\n";
  }
};

TEST_F(ExportTest, ACalendarComesBackWholeWithEachTimeZoneOnce) {
  std::string events;
  for (int number = 0; number < 100; ++number) events += event("e" + std::to_string(number));
  events += event("e7", "RECURRENCE-ID;TZID=Office:20240101T090000\r\n");
  events = zone("+0100") + events;
  const auto imported = pollux({"import", "-", "--user", user}, calendar(events));
  ASSERT_EQ(imported.exit_code, 0) << imported.output;
  const std::string file = exported("default");
  EXPECT_EQ(sorted_components(file, "VEVENT"), sorted_components(events, "VEVENT"));
  EXPECT_EQ(count(file, "BEGIN:VTIMEZONE"), 1U);
  EXPECT_EQ(count(file, "BEGIN:VCALENDAR"), 1U);

  // Into another calendar: the same. Once more: replaced, not doubled.
  ASSERT_EQ(http("MKCALENDAR", "/dav/calendars/anna/copy/").status, 201);
  for (const char* outcome : {"(100 new, 0 replaced)", "(0 new, 100 replaced)"}) {
    const auto again = pollux({"import", "-", "--user", user, "--calendar", "copy"}, file);
    EXPECT_EQ(again.exit_code, 0) << again.output;
    EXPECT_THAT(again.output, HasSubstr(outcome));
  }
  EXPECT_EQ(sorted_components(exported("calendars/copy"), "VEVENT"), sorted_components(events, "VEVENT"));
}

TEST_F(ExportTest, ZonesOfOneNameThatDifferAreKeptApart) {
  const auto path = std::string("/dav/calendars/") + user + "/default/";
  ASSERT_EQ(http("PUT", path + "a.ics", calendar(zone("+0100") + event("a"))).status, 201);
  ASSERT_EQ(http("PUT", path + "b.ics", calendar(zone("+0200") + event("b"))).status, 201);
  const std::string file = exported("default");
  EXPECT_EQ(count(file, "BEGIN:VCALENDAR"), 2U);
  EXPECT_THAT(file, HasSubstr(zone("+0100") + event("a")));
  EXPECT_THAT(file, HasSubstr(zone("+0200") + event("b")));
}

TEST_F(ExportTest, AnEmptyCalendarIsAValidFileAndAnUnknownOneIsNone) {
  EXPECT_THAT(exported("default"), HasSubstr("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"));
  const auto file = pair().home() / "none";
  const auto result = pollux({"export", "nothing", "--user", user, "--output", file.string()});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("no calendar or address book \"nothing\""));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(ExportTest, AnAddressBookGoesOutAndInAndBrokenCardsAreNamed) {
  const std::string good = card("one", "Anna") + card("two", "Björn"), nameless = card("", "Carl");
  const std::string broken = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:broken\r\nno colon here\r\nEND:VCARD\r\n";
  const std::string old = "BEGIN:VCARD\r\nVERSION:2.1\r\nUID:old\r\nFN:x\r\nEND:VCARD\r\n";
  const auto imported =
      pollux({"import", "-", "--user", user},
             card("one", "Anna") + broken + card("two", "Björn") + old + nameless + "BEGIN:VCARD\r\nUID:cut");
  EXPECT_EQ(imported.exit_code, 1) << imported.output;
  EXPECT_THAT(imported.output, HasSubstr("card 2 (line 9, UID broken) not imported"));
  EXPECT_THAT(imported.output, HasSubstr("line 12"));
  EXPECT_THAT(imported.output, HasSubstr("card 4"));
  EXPECT_THAT(imported.output, HasSubstr("card 6"));
  EXPECT_THAT(imported.output, HasSubstr("3 items imported into anna/default (3 new, 0 replaced); 3 not"));
  const std::string file = exported("contacts/default");
  EXPECT_EQ(sorted_components(file, "VCARD").size(), 3U);
  EXPECT_THAT(file, HasSubstr(card("one", "Anna")));
  EXPECT_THAT(file, HasSubstr(card("two", "Björn")));
  const auto again = pollux({"import", "-", "--user", user}, file);
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("(0 new, 3 replaced)"));
  // The one without a UID has got the same as before.
  const auto third = pollux({"import", "-", "--user", user}, nameless);
  EXPECT_THAT(third.output, HasSubstr("(0 new, 1 replaced)"));
}

TEST_F(ExportTest, AMalformedEventIsNamedByNumberAndLineOfTheFile) {
  const std::string file =
      "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n" + zone("+0100") + event("a") +
      "BEGIN:VEVENT\r\nUID:b\r\nDTSTAMP:20240101T000000Z\r\nDTSTART:not a time\r\nEND:VEVENT\r\n" +
      event("c") + "END:VCALENDAR\r\n";
  const std::string before = file.substr(0, file.find("UID:b"));
  const auto begin = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const auto result = pollux({"import", "-", "--user", user}, file);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("component 2 (line " + std::to_string(begin) + ", UID b)"));
  EXPECT_THAT(result.output, HasSubstr("line " + std::to_string(begin + 3) + ": "));  // DTSTART's
  EXPECT_THAT(result.output, HasSubstr("2 items imported into anna/default (2 new, 0 replaced); 1 not"));
}

}  // namespace
}  // namespace pollux::testing
