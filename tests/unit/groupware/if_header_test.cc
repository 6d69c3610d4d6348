// What clients write into headers and properties, without a server: If, URLs, sync tokens, time zones.
#include "dav/if_header.h"

#include <gtest/gtest.h>

#include "dav/path.h"
#include "dav/property_update.h"
#include "state/sync_token.h"

namespace pollux {
namespace {

std::vector<IfList> lists(std::string_view text) { return parse_if_header(text, "localhost").value(); }

TEST(IfHeader, AListWithoutUrlIsAboutTheRequestsOwnResource) {
  const auto read = lists("(<urn:a> Not <urn:b> [W/\"c\"]) (not [\"d]e\"])");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_FALSE(read[0].tagged);
  ASSERT_EQ(read[0].conditions.size(), 3U);
  EXPECT_EQ(read[0].conditions[0], (IfCondition{false, {}, "urn:a"}));
  EXPECT_EQ(read[0].conditions[1], (IfCondition{true, {}, "urn:b"}));
  EXPECT_EQ(read[0].conditions[2], (IfCondition{false, EntityTag{true, "\"c\""}, {}}));
  EXPECT_EQ(read[1].conditions[0], (IfCondition{true, EntityTag{false, "\"d]e\""}, {}}));
}

TEST(IfHeader, AUrlBelongsToAllListsUntilTheNext) {
  const auto read =
      lists("<http://localhost/dav/files/a/x%20y> (<urn:a>)(<urn:b>) </dav/files/a/z> (<urn:c>)");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].resource->names, std::vector<std::string>{"x y"});
  EXPECT_EQ(read[1].resource, read[0].resource);
  EXPECT_EQ(read[2].resource->names, std::vector<std::string>{"z"});
}

TEST(IfHeader, WhatIsNotOnThisServerIsNoResource) {
  for (const std::string_view url :
       {"http://elsewhere/dav/files/a/x", "/dav/principals/a/", "urn:x", "/dav/files/a/../b"}) {
    const auto read = lists("<" + std::string(url) + "> (<urn:a>)");
    ASSERT_EQ(read.size(), 1U);
    EXPECT_TRUE(read[0].tagged);
    EXPECT_FALSE(read[0].resource) << url;
  }
}

TEST(IfHeader, BlanksAndSeveralHeadersAreTaken) {
  EXPECT_EQ(lists(" ( <urn:a>\t[ \"b\" ] ) , (<urn:c>)").size(), 2U);
  EXPECT_EQ(lists("(Not<urn:a>[\"b\"])")[0].conditions.size(), 2U);
}

TEST(IfHeader, WhatIsMalformedIsRefused) {
  for (const char* text :
       {"", " ", "x", "()", "(", "(<a>", "(<a>))", "<a>", "<a> ", "<a> <b> (<c>)", "(<a>) <b> (<c>)", "([x])",
        "([\"x])", "([\"x\" \"y\"])", "(Not)", "(Not Not <a>)", "(<>)", "(<a", "([\"x\")"}) {
    EXPECT_FALSE(parse_if_header(text, "")) << text;
  }
}

TEST(IfHeader, ItsLengthHasALimit) {
  std::string text = "(";
  for (std::size_t number = 0; number < GroupwareLimits::if_conditions_max; ++number) text += "<a>";
  EXPECT_TRUE(parse_if_header(text + ")", ""));
  EXPECT_FALSE(parse_if_header(text + "<a>)", ""));
}

TEST(References, PathsAndUrlsOfThisServerAreRead) {
  const auto names = [](std::string_view text, std::string_view host = "h:8080") {
    const auto read = parse_reference(text, host);
    EXPECT_TRUE(read) << text;
    EXPECT_FALSE(read && read->elsewhere) << text;
    return read ? read->path.resource.names : std::vector<std::string>{};
  };
  const std::vector<std::string> expected{"ä b", "c%d"};
  EXPECT_EQ(names("/dav/files/a/%C3%A4%20b/c%25d"), expected);
  EXPECT_EQ(names("/dav/files/a/\xc3\xa4 b/c%25d"), expected);
  EXPECT_EQ(names("http://h:8080/dav/files/a/%C3%A4%20b/c%25d?x=y#z"), expected);
  EXPECT_EQ(names("HTTPS://u:p@H:8080/dav/files/a/%C3%A4%20b/c%25d/"), expected);
  EXPECT_EQ(names("http://h:80/dav/files/a/x", "h"), std::vector<std::string>{"x"});
  EXPECT_EQ(names("https://h/dav/files/a/x", "h:443"), std::vector<std::string>{"x"});
  EXPECT_EQ(names("http://anything/dav/files/a/x", ""), std::vector<std::string>{"x"});
}

TEST(References, OtherServersAreToldApart) {
  for (const char* text :
       {"http://other/dav/files/a/x", "http://h:81/dav/files/a/x", "ftp://h/dav/files/a/x"}) {
    EXPECT_TRUE(parse_reference(text, "h")->elsewhere) << text;
  }
  for (const char* text : {"", "x", "//h/dav/files/a/x", "/dav/files/a/..", "/a%", "urn:x"}) {
    EXPECT_FALSE(parse_reference(text, "h")) << text;
  }
}

TEST(SyncTokens, TheyAreReadBackAndOthersAreNot) {
  const auto token = make_sync_token(7, 18446744073709551615U);
  EXPECT_EQ(parse_sync_token(token), (SyncPoint{7, 18446744073709551615U, 18446744073709551615U}));
  const SyncPoint midway{.collection = 7, .change = 3, .deletions = 9};
  EXPECT_EQ(make_sync_token(midway), "urn:pollux:sync:7-3-9");
  EXPECT_EQ(parse_sync_token("urn:pollux:sync:7-3-9"), midway);
  for (const char* text :
       {"", "urn:pollux:sync:", "urn:pollux:sync:1", "urn:pollux:sync:1-", "urn:pollux:sync:-1",
        "urn:pollux:sync:1-2x", "urn:pollux:sync:99999999999999999999-1", "http://x/1-2"}) {
    EXPECT_FALSE(parse_sync_token(text)) << text;
  }
}

TEST(TimeZones, OneZoneAndNothingElseIsTaken) {
  const std::string zone =
      "BEGIN:VTIMEZONE\nTZID:Here\nBEGIN:STANDARD\nTZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\n";
  const std::string event = "BEGIN:VEVENT\nUID:a\nEND:VEVENT\n";
  const auto good = [](const std::string& text) { return !check_timezone(text); };
  EXPECT_TRUE(good("BEGIN:VCALENDAR\nVERSION:2.0\n" + zone + "END:VCALENDAR\n"));
  EXPECT_TRUE(good("begin:vcalendar\r\n" + zone + "end:vcalendar"));
  for (const std::string& text : std::vector<std::string>{
           std::string(), zone, "BEGIN:VCALENDAR\nEND:VCALENDAR\n",
           "BEGIN:VCALENDAR\n" + zone + zone + "END:VCALENDAR\n",
           "BEGIN:VCALENDAR\n" + zone + event + "END:VCALENDAR\n", "BEGIN:VCALENDAR\n" + zone,
           "BEGIN:VCALENDAR\n" + zone + "END:VCALENDAR\nX:1\n",
           "X:1\nBEGIN:VCALENDAR\n" + zone + "END:VCALENDAR\n",
           std::string("BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nEND:VTIMEZONE\nEND:VCALENDAR\n"),
           "BEGIN:VCALENDAR\n" + zone + "END:VEVENT\n"}) {
    EXPECT_FALSE(good(text)) << text;
  }
}

}  // namespace
}  // namespace pollux
