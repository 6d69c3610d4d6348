// What `pollux share` and `pollux user quota` take.
#include <gmock/gmock.h>

#include "commands.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

TEST(SharedPath, ItIsWrittenInShortOrAsAUrl) {
  const ResourcePath work{DavSpace::calendars, "alice", {"my work"}};
  for (const char* text :
       {"calendars/alice/my work", "calendars/alice/my%20work/", "/dav/calendars/alice/my%20work",
        "http://127.0.0.1:8080/dav/calendars/alice/my%20work/"}) {
    EXPECT_EQ(parse_shared_path(text).value(), work) << text;
  }
  EXPECT_EQ(parse_shared_path("contacts/alice/x")->space, DavSpace::contacts);
  EXPECT_EQ(parse_shared_path("files/alice/a%2Fb")->names, std::vector<std::string>{"a/b"});
}

TEST(SharedPath, AnythingElseIsRefused) {
  for (const char* text : {"", "/", "calendars", "calendars/alice", "calendars/alice/", "calendars/alice/a/b",
                           "mail/alice/x", "calendars//x", "calendars/alice/%zz", "calendars/alice/%2"}) {
    EXPECT_THAT(parse_shared_path(text).error().text, HasSubstr("names no collection")) << text;
  }
}

TEST(Quota, ItTakesBytesAndUnits) {
  EXPECT_EQ(parse_quota("1").value(), 1U);
  EXPECT_EQ(parse_quota("2K").value(), 2048U);
  EXPECT_EQ(parse_quota("500M").value(), 500U << 20);
  EXPECT_EQ(parse_quota("3T").value(), std::uint64_t{3} << 40);
  EXPECT_EQ(parse_quota("none").value(), 0U);
  for (const char* text : {"", "0", "-1", "M", "1X", "1MB", "1.5G", "99999999999999999999", "99999999999T"}) {
    EXPECT_THAT(parse_quota(text).error().text, HasSubstr("is no size")) << text;
  }
}

}  // namespace
}  // namespace pollux::testing
