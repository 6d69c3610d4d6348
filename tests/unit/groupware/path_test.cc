#include "dav/path.h"

#include <gtest/gtest.h>

namespace pollux {
namespace {

DavPath parse(std::string_view target) {
  const auto path = parse_target(target);
  EXPECT_TRUE(path) << target << ": " << path.error().text;
  return path.value_or(DavPath{});
}

TEST(DavPath, KindsOfUrls) {
  EXPECT_EQ(parse("/").kind, DavPathKind::root);
  EXPECT_EQ(parse("/dav").kind, DavPathKind::root);
  EXPECT_EQ(parse("/dav/").kind, DavPathKind::root);
  EXPECT_EQ(parse("/.well-known/caldav").kind, DavPathKind::well_known);
  EXPECT_EQ(parse("/dav/principals/").kind, DavPathKind::principals);
  EXPECT_EQ(parse("/dav/principals/alice/").kind, DavPathKind::principal);
  EXPECT_EQ(parse("/dav/principals/alice").resource.user, "alice");
  EXPECT_EQ(parse("/dav/calendars/").kind, DavPathKind::homes);
  EXPECT_EQ(parse("/dav/calendars/alice/").kind, DavPathKind::resource);
  EXPECT_EQ(parse("/favicon.ico").kind, DavPathKind::unknown);
  EXPECT_EQ(parse("/dav/principals/alice/x").kind, DavPathKind::unknown);
  EXPECT_EQ(parse("/.well-known/carddav").kind, DavPathKind::well_known);
  EXPECT_EQ(parse("/dav/files/alice").resource.space, DavSpace::files);
  EXPECT_EQ(parse("/dav/contacts/alice/default").resource.space, DavSpace::contacts);
  EXPECT_EQ(parse("/dav/contacts").kind, DavPathKind::homes);
  EXPECT_EQ(parse("/dav/mail/alice").kind, DavPathKind::unknown);
}

TEST(DavPath, NamesAreDecodedOneByOne) {
  const auto path = parse("/dav/calendars/a%40b/my%20cal/%C3%A9+%2B%25%2F1@x.ics");
  EXPECT_EQ(path.resource.user, "a@b");
  EXPECT_EQ(path.resource.names, (std::vector<std::string>{"my cal", "é++%/1@x.ics"}));
  EXPECT_FALSE(path.slash);
}

TEST(DavPath, ASlashAtTheEndIsRemembered) {
  EXPECT_TRUE(parse("/dav/calendars/alice/default/").slash);
  EXPECT_EQ(parse("/dav/calendars/alice/default/").resource.names, std::vector<std::string>{"default"});
  EXPECT_FALSE(parse("/dav/calendars/alice/default").slash);
}

TEST(DavPath, AbsoluteFormAndQueriesAreTaken) {
  EXPECT_EQ(parse("http://localhost:8080/dav/calendars/alice/").resource.user, "alice");
  EXPECT_EQ(parse("http://localhost").kind, DavPathKind::root);
  EXPECT_EQ(parse("/dav/calendars/alice/x/y.ics?z=/../").resource.names.size(), 2U);
}

TEST(DavPath, NoWayOutOfACollection) {
  for (const char* target :
       {"/dav/calendars/alice/../bob/", "/dav/calendars/alice/%2e%2e/bob/", "/dav/calendars/alice/%2E./bob/",
        "/dav/calendars/alice/..%2Fbob/x.ics", "/dav/calendars/alice/x%2F..%2Fy.ics",
        "/dav/calendars/alice/./x.ics", "/dav/calendars/alice/%2F..", "/dav/../../etc/passwd"}) {
    EXPECT_FALSE(parse_target(target)) << target;
  }
}

TEST(DavPath, MalformedTargetsAreRefused) {
  const std::string long_name = "/dav/calendars/alice/" + std::string(1025, 'x');
  const std::string deep = "/dav/calendars/alice" + std::string(200, '/') + "x";
  std::string levels = "/dav/calendars/alice";
  for (int level = 0; level < 100; ++level) levels += "/x";
  for (const std::string& target :
       {std::string("/dav/calendars/%"), std::string("/dav/calendars/%4"), std::string("/dav/calendars/%zz"),
        std::string("/dav/calendars/%00"), std::string("/dav/calendars/a%0Ab"),
        std::string("/dav/calendars/%ff"), std::string("/dav//calendars/"),
        std::string("/dav/calendars/alice//"), std::string("//dav"), std::string("*"), std::string("dav"),
        std::string(), std::string("/a b"), std::string("/\xc3\xa9"), long_name, deep, levels}) {
    EXPECT_FALSE(parse_target(target)) << target;
  }
}

TEST(DavPath, WhatIsToldToClientsReadsBack) {
  const ResourcePath path{DavSpace::calendars, "a@b+c", {"my cal", "100% é/+&'?#[]\".ics"}};
  const auto href = resource_href(path, false);
  EXPECT_EQ(href.find_first_of(" \"?#[]"), std::string::npos) << href;
  EXPECT_EQ(parse(href).resource, path) << href;
  EXPECT_EQ(resource_href({DavSpace::calendars, "alice", {"x"}}, true), "/dav/calendars/alice/x/");
  EXPECT_EQ(home_href(DavSpace::calendars, "alice"), "/dav/calendars/alice/");
  EXPECT_EQ(principal_href("a@b"), "/dav/principals/a@b/");
}

}  // namespace
}  // namespace pollux
