#include "report_fixture.h"

namespace pollux::testing {
namespace {

class SyncTest : public ReportTest {
 protected:
  HttpAnswer sync(HttpClient& client, const std::string& token, int limit = 0,
                  const std::string& target = calendar, const std::string& level = "1") {
    std::string inside =
        "<D:sync-token>" + token + "</D:sync-token><D:sync-level>" + level + "</D:sync-level>";
    if (limit > 0) inside += "<D:limit><D:nresults>" + std::to_string(limit) + "</D:nresults></D:limit>";
    return report(client, target, element("D:sync-collection", inside + "<D:prop><D:getetag/></D:prop>"),
                  "Depth: 0\r\n");
  }
  static std::string token(const HttpAnswer& answer) {
    const auto root = multistatus(answer);
    const auto* element = root.child(xmlns::dav, "sync-token");
    return element == nullptr ? "" : element->text;
  }
};

TEST_F(SyncTest, OnlyWhatChangedIsTold) {
  auto client = connect();
  put(client, calendar + "a", event("a"));
  put(client, calendar + "b", event("b"));
  const auto all = sync(client, "");
  EXPECT_EQ(names(all), "a b");
  EXPECT_TRUE(has(all, "getetag"));
  put(client, calendar + "b", event("b", "LOCATION:x\r\n"));
  put(client, calendar + "c", event("c"));
  ASSERT_EQ(client.request("DELETE", calendar + "a").status, 204);
  const auto changed = sync(client, token(all));
  EXPECT_EQ(names(changed), "b c a:404");
  EXPECT_EQ(names(sync(client, token(changed))), "");
  EXPECT_EQ(names(sync(client, token(all))), "b c a:404");
}

TEST_F(SyncTest, AClientThatIsUpToDateGetsItsTokenAgain) {
  auto client = connect();
  put(client, calendar + "a", event("a"));
  const std::string first = token(sync(client, ""));
  EXPECT_EQ(token(sync(client, first)), first);
  // It is the collection's sync-token, too.
  const auto property = client.request("PROPFIND", calendar, "Depth: 0\r\n",
                                       element("D:propfind", "<D:prop><D:sync-token/></D:prop>"));
  EXPECT_EQ(text_of(multistatus(property), "sync-token"), first);
}

TEST_F(SyncTest, ALimitIsKeptWith507AndTheEndIsReached) {
  auto client = connect();
  for (int i = 0; i < 10; ++i) put(client, calendar + std::to_string(i), event(std::to_string(i)));
  std::string at, told;
  for (int round = 0; round < 10; ++round) {
    const auto answer = sync(client, at, 3);
    at = token(answer);
    told += (told.empty() ? "" : " ") + names(answer);
    if (!has(answer, "507")) break;
    EXPECT_TRUE(has(answer, "<D:number-of-matches-within-limits/>"));
    // A change in the middle is told, too, and nothing twice.
    if (round == 1) put(client, calendar + "new", event("new"));
    if (round == 0) {
      ASSERT_EQ(client.request("DELETE", calendar + "0").status, 204);
    }
  }
  EXPECT_EQ(told, "0 1 2 default:507 3 4 5 default:507 6 7 8 default:507 9 0:404 new");
  EXPECT_EQ(names(sync(client, at, 3)), "");
}

TEST_F(SyncTest, ATokenOfAnotherOrARecreatedCollectionIsRefused) {
  auto client = connect();
  const std::string work = "/dav/calendars/alice/work/";
  ASSERT_EQ(client.request("MKCALENDAR", work).status, 201);
  const std::string before = token(sync(client, "", 0, work));
  ASSERT_EQ(client.request("DELETE", work).status, 204);
  ASSERT_EQ(client.request("MKCALENDAR", work).status, 201);
  put(client, work + "a", event("a"));
  expect_error(sync(client, before, 0, work), 403, "D:valid-sync-token");
  put(client, calendar + "a", event("a"));
  expect_error(sync(client, token(sync(client, "")) + "0", 0), 403, "D:valid-sync-token");
  for (const char* nonsense : {"1", "urn:pollux:sync:", "urn:pollux:sync:1-", "urn:pollux:sync:1-2-x",
                               "data:,1", "urn:pollux:sync:0-0"}) {
    expect_error(sync(client, nonsense), 403, "D:valid-sync-token");
  }
}

TEST_F(SyncTest, LevelsAndPlacesThatAreNotThere) {
  auto client = connect();
  EXPECT_EQ(sync(client, "", 0, calendar, "infinite").status, 207);
  EXPECT_EQ(sync(client, "", 0, calendar, "2").status, 400);
  EXPECT_EQ(sync(client, "", 0, "/dav/calendars/alice/none/").status, 404);
  expect_error(sync(client, "", 0, "/dav/calendars/alice/"), 403, "D:supported-report");
  EXPECT_EQ(report(client, calendar, element("D:sync-collection", "")).status, 400);
  EXPECT_EQ(
      report(client, calendar,
             element("D:sync-collection", "<D:sync-token/><D:limit><D:nresults>x</D:nresults></D:limit>"))
          .status,
      400);
}

TEST_F(SyncTest, PlainCollectionsTellTheirCollectionsToo) {
  auto client = connect();
  ASSERT_EQ(client.request("MKCOL", "/dav/files/alice/wiki/").status, 201);
  ASSERT_EQ(client.request("MKCOL", "/dav/files/alice/wiki/inner/").status, 201);
  ASSERT_EQ(client.request("PUT", "/dav/files/alice/wiki/page", {}, "text").status, 201);
  const auto answer = sync(client, "", 0, "/dav/files/alice/wiki/");
  EXPECT_EQ(names(answer), "inner page");
  EXPECT_TRUE(has(answer, "<D:href>/dav/files/alice/wiki/inner/</D:href>"));
  expect_error(sync(client, "", 0, "/dav/files/alice/wiki/", "infinite"), 403, "D:sync-traversal-supported");
}

TEST_F(SyncTest, TheDataCanComeAlong) {
  auto client = connect();
  put(client, calendar + "a", event("a"));
  const auto answer = report(client, calendar,
                             element("D:sync-collection",
                                     "<D:sync-token/><D:sync-level>1</D:sync-level>"
                                     "<D:prop><C:calendar-data/></D:prop>"));
  EXPECT_EQ(text_of(multistatus(answer), "calendar-data"), event("a"));
}

TEST_F(SyncTest, AnItemIsNotSynchronizedByItself) {
  auto client = connect();
  put(client, calendar + "a", event("a"));
  expect_error(sync(client, "", 0, calendar + "a"), 403, "D:supported-report");
}

TEST_F(SyncTest, AnIfHeaderMayHoldTheTokenOfACollection) {
  auto client = connect();
  put(client, calendar + "a.ics", event("a"));
  const std::string before = token(sync(client, ""));
  const auto put_if = [&](const std::string& name, const std::string& list) {
    return client.request("PUT", calendar + name, "If: <" + calendar + "> " + list + "\r\n", event(name))
        .status;
  };
  EXPECT_EQ(put_if("b.ics", "(<" + before + ">)"), 201);
  EXPECT_EQ(put_if("c.ics", "(<" + before + ">)"), 412) << "the calendar has changed";
  EXPECT_EQ(put_if("c.ics", "(Not <" + before + ">)"), 201);
  EXPECT_EQ(
      client.request("PUT", calendar + "d.ics", "If: (<" + token(sync(client, "")) + ">)\r\n", event("d"))
          .status,
      412)
      << "an item has no token of its own";
}

}  // namespace
}  // namespace pollux::testing
