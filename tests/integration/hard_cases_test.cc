// Items: their hrefs, times and octets, rules without end, who wins, and what survives a takeover.
#include <chrono>
#include <thread>

#include "integration/hard_cases_fixture.h"

namespace pollux::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST_F(HardCasesTest, EveryHrefThatClientsWriteLeadsToItsItem) {
  struct Row {
    const char *written, *told;  // as a client writes it, as the server tells it
  };
  const std::vector<Row> rows{{"a%20b.ics", "a%20b.ics"},
                              {"c@d.ics", "c@d.ics"},
                              {"e%40f.ics", "e@f.ics"},
                              {"g+h.ics", "g+h.ics"},
                              {"i%2Bj.ics", "i+j.ics"},
                              {"k%2Fl.ics", "k%2Fl.ics"},
                              {"m%25n.ics", "m%25n.ics"},
                              {"o%2520p.ics", "o%2520p.ics"},
                              {"%C3%BCmlaut.ics", "%C3%BCmlaut.ics"},
                              {"q%3Fr%23s.ics", "q%3Fr%23s.ics"},
                              {"t;u=v.ics", "t;u=v.ics"},
                              {"%77.ics", "w.ics"},
                              {"no-suffix", "no-suffix"},
                              {"x&y.ics", "x&amp;y.ics"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.written);
    const std::string body = event(row.written);
    put(calendar() + row.written, body);
    EXPECT_EQ(client().send("GET", calendar() + row.written).body, body);
    const auto found = client().send("PROPFIND", calendar() + row.written, "", {{"Depth", "0"}});
    EXPECT_THAT(found.body, HasSubstr("<D:href>" + calendar() + row.told + "</D:href>"));
    for (const std::string& host : {std::string(), "http://" + gateway()}) {
      std::string href = host + calendar() + row.written;
      if (const auto at = href.find('&'); at != std::string::npos) href.replace(at, 1, "&amp;");
      const auto got = report(calendar(), xml("C:calendar-multiget",
                                              "<D:prop><D:getetag/></D:prop><D:href>" + href + "</D:href>"));
      EXPECT_THAT(got.body, HasSubstr("200 OK")) << got.body;
    }
  }
  EXPECT_EQ(names(client().send("PROPFIND", calendar(), "", {{"Depth", "1"}})).size(), rows.size());
  for (const auto& row : rows)
    EXPECT_EQ(client().send("DELETE", calendar() + row.written).status, 204) << row.written;
  struct Refused {
    const char* path;
    int status;
  };
  for (const auto& [path, status] : std::vector<Refused>{{"../x.ics", 400},
                                                         {"%2e%2e/x.ics", 400},
                                                         {"..%2Fx.ics", 400},
                                                         {"a/../../../../etc/passwd", 400},
                                                         {"./x.ics", 400},
                                                         {"a%00.ics", 400},
                                                         {"%FF.ics", 400},
                                                         {"a%.ics", 400},
                                                         {"a%2.ics", 400},
                                                         {"a//b.ics", 400},
                                                         {"x.ics/", 405},
                                                         {"none/x.ics", 409}}) {
    EXPECT_EQ(client().send("PUT", calendar() + path, event("x"), is_calendar).status, status) << path;
  }
}

TEST_F(HardCasesTest, TimesOfEveryKindAreFoundWhereTheyAreAndNowhereElse) {
  const std::string home =
      "BEGIN:VTIMEZONE\r\nTZID:Home\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0530"
      "\r\nTZOFFSETTO:+0530\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";
  const std::string empty_zone = "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nEND:VTIMEZONE\r\n";
  const std::string half = "DURATION:PT30M\r\n";
  const auto second = [&](const std::string& lines) {
    return "END:VEVENT\r\nBEGIN:VEVENT\r\nUID:%\r\nDTSTAMP:20260101T000000Z\r\n" + lines + half;
  };
  struct Row {
    std::string name, lines, there, elsewhere;  // times of 30 minutes that find it, and that don't
    std::string component = "VEVENT", zones = {};
  };
  const std::vector<Row> rows{
      {"utc", "DTSTART:20260701T100000Z\r\n" + half, "20260701T100000Z", "20260701T103000Z"},
      {"end", "DTSTART:20260702T100000Z\r\nDTEND:20260702T110000Z\r\n", "20260702T103000Z",
       "20260702T110000Z"},
      {"no-end", "DTSTART:20260703T100000Z\r\n", "20260703T100000Z", "20260703T093000Z"},
      {"floating", "DTSTART:20260614T100000\r\n" + half, "20260614T100000Z", "20260614T103000Z"},
      {"own-zone", "DTSTART;TZID=Home:20260613T100000\r\n" + half, "20260613T043000Z", "20260613T100000Z",
       "VEVENT", home},
      {"no-vtimezone", "DTSTART;TZID=Europe/Berlin:20260615T100000\r\n" + half, "20260615T080000Z",
       "20260615T100000Z"},
      {"empty-vtimezone", "DTSTART;TZID=Europe/Berlin:20260616T100000\r\n" + half, "20260616T080000Z",
       "20260616T100000Z", "VEVENT", empty_zone},
      {"unknown-zone", "DTSTART;TZID=Nowhere/Land:20260617T100000\r\n" + half, "20260617T100000Z",
       "20260617T103000Z"},
      {"windows", "DTSTART;TZID=W. Europe Standard Time:20260610T100000\r\n" + half, "20260610T080000Z",
       "20260610T100000Z"},
      {"windows-quoted", "DTSTART;TZID=\"Eastern Standard Time\":20260611T100000\r\n" + half,
       "20260611T140000Z", "20260611T100000Z"},
      {"vendor", "DTSTART;TZID=/mozilla.org/20050126_1/Europe/Berlin:20260612T100000\r\n" + half,
       "20260612T080000Z", "20260612T100000Z"},
      {"gap", "DTSTART;TZID=Europe/Berlin:20260329T023000\r\n" + half, "20260329T013000Z",
       "20260329T003000Z"},
      {"twice", "DTSTART;TZID=Europe/Berlin:20261025T023000\r\n" + half, "20261025T003000Z",
       "20261025T013000Z"},
      {"weekly", "DTSTART;TZID=Europe/Berlin:20260323T100000\r\nRRULE:FREQ=WEEKLY;COUNT=3\r\n" + half,
       "20260330T080000Z", "20260330T090000Z"},
      {"day", "DTSTART;VALUE=DATE:20260410\r\nDTEND;VALUE=DATE:20260411\r\n", "20260410T233000Z",
       "20260411T000000Z"},
      {"day-alone", "DTSTART;VALUE=DATE:20260413\r\n", "20260413T120000Z", "20260414T000000Z"},
      {"exdate", "DTSTART:20260501T100000Z\r\nRRULE:FREQ=DAILY;COUNT=3\r\nEXDATE:20260502T100000Z\r\n" + half,
       "20260503T100000Z", "20260502T100000Z"},
      {"rdate", "DTSTART:20260505T100000Z\r\nRDATE:20260507T100000Z\r\n" + half, "20260507T100000Z",
       "20260506T100000Z"},
      {"override",
       "DTSTART:20260511T100000Z\r\nRRULE:FREQ=DAILY;COUNT=3\r\n" + half +
           second("RECURRENCE-ID:20260512T100000Z\r\nDTSTART:20260512T150000Z\r\n"),
       "20260512T150000Z", "20260512T100000Z"},
      {"this-and-future",
       "DTSTART:20260518T100000Z\r\nRRULE:FREQ=DAILY;COUNT=4\r\n" + half +
           second("RECURRENCE-ID;RANGE=THISANDFUTURE:20260520T100000Z\r\nDTSTART:20260520T120000Z\r\n"),
       "20260521T120000Z", "20260521T100000Z"},
      {"until", "DTSTART:20260526T100000Z\r\nRRULE:FREQ=DAILY;UNTIL=20260527T100000Z\r\n" + half,
       "20260527T100000Z", "20260528T100000Z"},
      {"count", "DTSTART:20260601T100000Z\r\nRRULE:FREQ=DAILY;COUNT=2\r\n" + half, "20260602T100000Z",
       "20260603T100000Z"},
      {"for-ever", "DTSTART:20000607T100000Z\r\nRRULE:FREQ=YEARLY\r\n" + half, "20450607T100000Z",
       "20450608T100000Z"},
      {"never", "DTSTART:20260609T100000Z\r\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\r\n" + half,
       "20260609T100000Z", "20280229T100000Z"},
      {"todo-due", "DUE:20260620T101500Z\r\n", "20260620T100000Z", "20260620T103000Z", "VTODO"},
      {"todo-start", "DTSTART:20260621T100000Z\r\n", "20260621T100000Z", "20260621T103000Z", "VTODO"},
      {"todo-completed", "COMPLETED:20260622T100000Z\r\n", "20260622T100000Z", "20260622T103000Z", "VTODO"},
      {"journal", "DTSTART:20260624T100000Z\r\n", "20260624T100000Z", "20260624T103000Z", "VJOURNAL"},
      {"journal-day", "DTSTART;VALUE=DATE:20260625\r\n", "20260625T120000Z", "20260626T120000Z", "VJOURNAL"},
  };
  for (const auto& row : rows) {
    std::string lines = row.lines;
    if (const auto at = lines.find('%'); at != std::string::npos) lines.replace(at, 1, row.name);
    put(calendar() + row.name, object(row.component, row.name, lines, row.zones));
  }
  put(calendar() + "todo-undated", object("VTODO", "todo-undated", "SUMMARY:Some day\r\n"));
  put(calendar() + "journal-undated", object("VJOURNAL", "journal-undated", "SUMMARY:A note\r\n"));
  const auto half_hour_from = [](const std::string& from) {
    return from.substr(0, 11) + (from.substr(11, 2) == "30" ? "5959Z" : "2959Z");
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto at = [&](const std::string& from) {
      return names(report(calendar(), query(row.component, from, half_hour_from(from)), {{"Depth", "1"}}));
    };
    EXPECT_THAT(at(row.there), Contains(row.name));
    EXPECT_THAT(at(row.elsewhere), Not(Contains(row.name)));
    if (row.component == "VTODO") {
      EXPECT_THAT(at(row.elsewhere), Contains("todo-undated"));
    }
    if (row.component == "VJOURNAL") {
      EXPECT_THAT(at(row.there), Not(Contains("journal-undated")));
    }
  }
  // Floating times are the asker's: in New York it is 14:00 UTC.
  const std::string zone =
      "<C:timezone>BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VTIMEZONE\r\nTZID:NY\r\nBEGIN:"
      "STANDARD\r\nDTSTART:"
      "19700101T000000\r\nTZOFFSETFROM:-0400\r\nTZOFFSETTO:-0400\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nEND:"
      "VCALENDAR\r\n"
      "</C:timezone>";
  EXPECT_THAT(names(report(calendar(),
                           query("VEVENT", "20260614T140000Z", "20260614T143000Z", "<D:getetag/>", zone))),
              Contains("floating"));
}

TEST_F(HardCasesTest, OctetsComeBackAsTheyWerePutAlsoFromTheNextPrimary) {
  std::string lf = event("lf");
  std::erase(lf, '\r');
  const std::vector<std::pair<std::string, std::string>> rows{
      {"bare-lf", lf},
      {"bom", "\xEF\xBB\xBF" + event("bom")},
      {"fold-in-utf8",
       event("fold", "DTSTART:20260315T100000Z\r\nSUMMARY:gr\xC3\r\n \xBC\xC3\r\n \x9F\r\n\t e\r\n")},
      {"x-properties", event("x", "DTSTART:20260315T100000Z\r\nX-EMPTY:\r\nx-lower;x-p=\"a;b\":v  \r\n")},
      {"no-last-line-end", event("cut").substr(0, event("cut").size() - 2)},
      {"lower-case",
       "begin:vcalendar\r\nversion:2.0\r\nbegin:vevent\r\nuid:lower\r\ndtstart:20260315T100000Z\r\nend:vevent"
       "\r\nend:vcalendar\r\n"}};
  std::vector<std::string> tags;
  for (const auto& [name, body] : rows) {
    const auto stored = client().send("PUT", calendar() + name, body, is_calendar);
    EXPECT_EQ(stored.status, 201) << name << stored.body;
    tags.push_back(header(stored, "ETag"));
    EXPECT_THAT(tags.back(), ::testing::StartsWith("\"")) << "strong, and at once";
  }
  kill_member(primary());
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto got = client().send("GET", calendar() + rows[at].first);
    EXPECT_EQ(got.body, rows[at].second) << rows[at].first;
    EXPECT_EQ(header(got, "ETag"), tags[at]);
    EXPECT_EQ(client().send("GET", calendar() + rows[at].first, "", {{"If-None-Match", tags[at]}}).status,
              304);
  }
  EXPECT_THAT(names(report(calendar(), query("VEVENT", "20260315T100000Z", "20260315T110000Z"))),
              UnorderedElementsAre("bare-lf", "bom", "fold-in-utf8", "x-properties", "no-last-line-end",
                                   "lower-case"));
}

TEST_F(HardCasesTest, RulesWithoutEndAndManyInstancesAreAnsweredSoonWhileOthersAreServed) {
  put(calendar() + "second.ics",
      event("s", "DTSTART:20200101T000000Z\r\nDURATION:PT1S\r\nRRULE:FREQ=SECONDLY\r\n"));
  put(calendar() + "odd.ics",
      event("o",
            "DTSTART:20200101T000000Z\r\nDURATION:PT1S\r\nRRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30\r\n"));
  put(calendar() + "many.ics",
      event("m", "DTSTART:20260101T000000Z\r\nDURATION:PT1S\r\nRRULE:FREQ=MINUTELY;COUNT=100000\r\n"));
  put(calendar() + "never.ics",
      event("n",
            "DTSTART:20200101T000000Z\r\nDURATION:PT1H\r\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\r\n"));
  const std::string data =
      "<C:calendar-data><C:expand start='20200101T000000Z' end='20400101T000000Z'/></C:calendar-data>";
  const std::string few =
      "<C:calendar-data><C:expand start='20260301T000000Z' end='20260301T010000Z'/></C:calendar-data>";
  const std::string from = "20200101T000000Z", to = "20400101T000000Z";
  struct Row {
    std::string body;
    int status;
  };
  const std::vector<Row> rows{
      {query("VEVENT", from, to), 207},
      {query("VEVENT", "20380101T000000Z", "20380101T000001Z"), 207},
      {query("VEVENT", from, to, data), 403},
      {query("VEVENT", "20260301T000000Z", "20260301T010000Z", few), 207},
      {query("VEVENT", from, to,
             "<C:calendar-data><C:limit-recurrence-set start='20260301T000000Z' end='20260302T000000Z'/>"
             "</C:calendar-data>"),
       207},
      {xml("C:free-busy-query", "<C:time-range start='" + from + "' end='" + to + "'/>"), 403},
      {xml("C:free-busy-query", "<C:time-range start='20260301T000000Z' end='20260301T010000Z'/>"), 200}};
  std::jthread other([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_EQ(client().send("GET", calendar() + "never.ics").status, 200);
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    }
  });
  for (const auto& row : rows) {
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = report(calendar(), row.body, {{"Depth", "1"}});
    EXPECT_EQ(answer.status, row.status) << row.body << answer.body.substr(0, 2000);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << row.body;
    if (row.status == 403) {
      EXPECT_THAT(answer.body, HasSubstr("<D:number-of-matches-within-limits"));
    }
  }
  EXPECT_THAT(names(report(calendar(), query("VEVENT", from, to))),
              UnorderedElementsAre("second.ics", "odd.ics", "many.ics", "never.ics"));
}

TEST_F(HardCasesTest, OfConcurrentPutsOfOneItemExactlyOneWins) {
  constexpr int writers = 12;
  const std::string item = calendar() + "one.ics";
  const auto race = [&](const Headers& condition) {
    std::vector<int> statuses(writers);
    std::vector<std::thread> threads;
    for (int writer = 0; writer < writers; ++writer) {
      threads.emplace_back([&, writer] {
        Headers headers = is_calendar;
        headers.insert(headers.end(), condition.begin(), condition.end());
        const std::string lines = "DTSTART:20260315T100000Z\r\nSUMMARY:" + std::to_string(writer) + "\r\n";
        statuses[static_cast<std::size_t>(writer)] =
            client().send("PUT", item, event("one", lines), headers).status;
      });
    }
    for (auto& thread : threads) thread.join();
    return statuses;
  };
  const auto won = [](const std::vector<int>& statuses) {
    return std::ranges::count_if(statuses, [](int status) { return status == 201 || status == 204; });
  };
  for (int round = 0; round < 5; ++round) {
    const auto made = race({{"If-None-Match", "*"}});
    EXPECT_EQ(won(made), 1);
    EXPECT_EQ(std::ranges::count(made, 412), writers - 1);
    const std::string tag = header(client().send("GET", item), "ETag");
    const auto replaced = race({{"If-Match", "\"no\", W/\"weak\", " + tag}});
    EXPECT_EQ(won(replaced), 1);
    EXPECT_EQ(std::ranges::count(replaced, 412), writers - 1);
    EXPECT_EQ(client()
                  .send("DELETE", item, "", {{"If-Match", "W/" + header(client().send("GET", item), "ETag")}})
                  .status,
              412);
    EXPECT_EQ(client().send("DELETE", item).status, 204);
  }
}

TEST_F(HardCasesTest, ALockOutlivesATakeoverAndEndsInTime) {
  const std::string file = std::string("/dav/files/") + user + "/a.txt";
  const Headers plain{{"Content-Type", "text/plain"}};
  ASSERT_EQ(client().send("PUT", file, "a", plain).status, 201);
  const auto locked =
      client().send("LOCK", file,
                    "<D:lockinfo xmlns:D='DAV:'><D:lockscope><D:exclusive/></D:lockscope><D:locktype>"
                    "<D:write/></D:locktype><D:owner>me</D:owner></D:lockinfo>",
                    {{"Timeout", "Second-8"}});
  ASSERT_EQ(locked.status, 200) << locked.body;
  const std::string token = header(locked, "Lock-Token");
  kill_member(primary());
  EXPECT_EQ(client().send("PUT", file, "b", plain).status, 423);
  EXPECT_EQ(
      client().send("PUT", file, "c", {{"Content-Type", "text/plain"}, {"If", "(" + token + ")"}}).status,
      204);
  EXPECT_THAT(
      client()
          .send("PROPFIND", file, xml("D:propfind", "<D:prop><D:lockdiscovery/></D:prop>"), {{"Depth", "0"}})
          .body,
      HasSubstr(token.substr(1, token.size() - 2)));
  wait_until("the lock to end", [&] { return client().send("PUT", file, "d", plain).status == 204; });
  EXPECT_EQ(client().send("GET", file).body, "d");
}

}  // namespace
}  // namespace pollux::testing
