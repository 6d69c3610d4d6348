// What clients met elsewhere, as tables: each row against a real pair and its gateway.
#include <gmock/gmock.h>

#include <chrono>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "integration/groupware_fixture.h"
#include "integration/raw_http.h"

namespace pollux::testing {
namespace {

using ::testing::Contains;

using ::testing::HasSubstr;

using ::testing::Not;
using ::testing::UnorderedElementsAre;

using Headers = std::vector<std::pair<std::string, std::string>>;

const Headers is_calendar{{"Content-Type", "text/calendar"}};

std::string object(const std::string& component, const std::string& uid, const std::string& lines,
                   const std::string& zones = {}) {
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n" + zones + "BEGIN:" + component +
         "\r\nUID:" + uid + "\r\nDTSTAMP:20260101T000000Z\r\n" + lines + "END:" + component +
         "\r\nEND:VCALENDAR\r\n";
}
std::string event(const std::string& uid,
                  const std::string& lines = "DTSTART:20260315T100000Z\r\nDURATION:PT30M\r\n") {
  return object("VEVENT", uid, lines);
}
std::string xml(const std::string& name, const std::string& inside) {
  return "<" + name + " xmlns:D='DAV:' xmlns:C='urn:ietf:params:xml:ns:caldav'>" + inside + "</" + name + ">";
}
std::string query(const std::string& component, const std::string& from, const std::string& to,
                  const std::string& prop = "<D:getetag/>", const std::string& more = {}) {
  return xml("C:calendar-query",
             "<D:prop>" + prop + "</D:prop><C:filter><C:comp-filter name='VCALENDAR'><C:comp-filter name='" +
                 component + "'><C:time-range start='" + from + "' end='" + to +
                 "'/></C:comp-filter></C:comp-filter></C:filter>" + more);
}
std::string sync(const std::string& token, const std::string& limit = {}) {
  return xml("D:sync-collection",
             "<D:sync-token>" + token + "</D:sync-token><D:sync-level>1</D:sync-level>" +
                 (limit.empty() ? "" : "<D:limit><D:nresults>" + limit + "</D:nresults></D:limit>") +
                 "<D:prop><D:getetag/></D:prop>");
}
std::string header(const HttpAnswer& answer, const std::string& name) {
  std::smatch match;
  const std::regex line("\r\n" + name + ": ([^\r]*)", std::regex::icase);
  return std::regex_search(answer.head, match, line) ? match[1].str() : std::string();
}
std::vector<std::string> all_of(const std::string& text, const std::string& pattern) {
  std::vector<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

class HardCasesTest : public GroupwareFixture {
 protected:
  static std::string calendar() { return std::string("/dav/calendars/") + user + "/default/"; }
  void put(const std::string& path, const std::string& body, int status = 201) {
    const auto answer = client().send("PUT", path, body, is_calendar);
    EXPECT_EQ(answer.status, status) << path << answer.body;
  }
  HttpAnswer report(const std::string& path, const std::string& body, const Headers& headers = {}) {
    return client().send("REPORT", path, body, headers);
  }
  /// The last names of the hrefs of an answer.
  static std::vector<std::string> names(const HttpAnswer& answer) {
    EXPECT_EQ(answer.status, 207) << answer.body;
    return all_of(answer.body, "<D:href>[^<]*/([^/<]+)</D:href>");
  }
  static std::string token(const HttpAnswer& answer) {
    const auto found = all_of(answer.body, "<D:sync-token>([^<]*)</D:sync-token>");
    EXPECT_EQ(found.size(), 1U) << answer.body;
    return found.empty() ? std::string() : found.front();
  }
};

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

TEST_F(HardCasesTest, WhatIsNoItemIsRefusedByNameAndWithASentence) {
  put(calendar() + "there.ics", event("there"));
  const std::string whole = event("new");
  const auto without = [&](const std::string& part) {
    std::string text = whole;
    return text.erase(text.find(part), part.size());
  };
  const auto with = [&](const std::string& after, const std::string& more) {
    std::string text = whole;
    return text.insert(text.find(after) + after.size(), more);
  };

  struct Row {
    std::string what, body, element;
    int status = 403;
  };
  const std::vector<Row> rows{
      {"nothing", "", "C:valid-calendar-data"},
      {"a page", "<html>", "C:valid-calendar-data"},
      {"cut off", whole.substr(0, whole.size() - 20), "C:valid-calendar-data"},
      {"no UTF-8", with("PRODID:", "\xff"), "C:valid-calendar-data"},
      {"a control character", with("PRODID:", "\x01"), "C:valid-calendar-data"},
      {"a day that is none", event("new", "DTSTART:20260230T100000Z\r\n"), "C:valid-calendar-data"},
      {"a rule that is none", event("new", "DTSTART:20260201T100000Z\r\nRRULE:FREQ=NEVER\r\n"),
       "C:valid-calendar-data"},
      {"no DTSTART", event("new", ""), "C:valid-calendar-data"},
      {"no UID", without("UID:new\r\n"), "C:valid-calendar-object-resource"},
      {"an empty UID", event(""), "C:valid-calendar-object-resource"},
      {"two UIDs",
       with("END:VEVENT\r\n", "BEGIN:VEVENT\r\nUID:other\r\nDTSTART:20260315T100000Z\r\nEND:VEVENT\r\n"),
       "C:valid-calendar-object-resource"},
      {"a METHOD", with("VERSION:2.0\r\n", "METHOD:REQUEST\r\n"), "C:valid-calendar-object-resource"},
      {"two calendars", whole + whole, "C:valid-calendar-object-resource"},
      {"two kinds", with("END:VEVENT\r\n", "BEGIN:VTODO\r\nUID:new\r\nEND:VTODO\r\n"),
       "C:valid-calendar-object-resource"},
      {"only a time zone", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n",
       "C:valid-calendar-object-resource"},
      {"a VFREEBUSY", object("VFREEBUSY", "new", ""), "C:supported-calendar-component"},
      {"a UID that is elsewhere", event("there"), "C:no-uid-conflict", 409},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const auto answer = client().send("PUT", calendar() + "new.ics", row.body, is_calendar);
    EXPECT_EQ(answer.status, row.status) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr("<" + row.element)) << answer.body;
    EXPECT_THAT(answer.body, ::testing::ContainsRegex("<P:message[^>]*>[A-Z][^<]+[.]")) << answer.body;
    EXPECT_EQ(client().send("GET", calendar() + "new.ics").status, 404);
  }
  EXPECT_EQ(client().send("PUT", calendar() + "there.ics", event("other"), is_calendar).status, 409);
  EXPECT_EQ(client().send("GET", calendar() + "there.ics").body, event("there"));
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

TEST_F(HardCasesTest, SynchronizationReachesTheEndAndItsTokensOutliveATakeover) {
  const std::string own = std::string("/dav/calendars/") + user + "/sync/";
  ASSERT_EQ(client().send("MKCALENDAR", own).status, 201);
  for (int number = 0; number < 25; ++number)
    put(own + "e" + std::to_string(number), event(std::to_string(number)));
  std::set<std::string> seen;
  std::string at;
  int pages = 0;
  for (bool more = true; more && pages < 20; ++pages) {
    if (pages == 1) kill_member(primary());
    const auto page = report(own, sync(at, "7"));
    more = page.body.contains("507 Insufficient Storage");
    const auto told = all_of(page.body, "<D:href>[^<]*/(e[0-9]+)</D:href>");
    EXPECT_LE(told.size(), 7U);
    seen.insert(told.begin(), told.end());
    EXPECT_NE(token(page), at);
    at = token(page);
  }
  EXPECT_EQ(pages, 4);
  EXPECT_EQ(seen.size(), 25U);
  const auto current = report(own, sync(at));
  EXPECT_EQ(token(current), at) << "an up-to-date client gets its token again";
  EXPECT_THAT(current.body, Not(HasSubstr("<D:response>")));
  wait_in_sync();
  put(own + "e3", event("3"), 204);
  ASSERT_EQ(client().send("DELETE", own + "e4").status, 204);
  kill_member(primary());
  const auto changed = report(own, sync(at));
  EXPECT_THAT(names(changed), UnorderedElementsAre("e3", "e4"));
  EXPECT_THAT(changed.body, HasSubstr("e4</D:href><D:status>HTTP/1.1 404"));
  // The same name is another collection, once it was deleted and made again.
  ASSERT_EQ(client().send("DELETE", own).status, 204);
  ASSERT_EQ(client().send("MKCALENDAR", own).status, 201);
  for (const std::string& old : {at, token(changed), std::string("urn:x"), std::string("0")}) {
    const auto refused = report(own, sync(old));
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.body, HasSubstr("<D:valid-sync-token/>"));
  }
  const auto got = report(calendar(), xml("C:calendar-multiget", "<D:prop><D:getetag/></D:prop><D:href>" +
                                                                     calendar() + "none.ics</D:href>"));
  EXPECT_THAT(got.body, HasSubstr("none.ics</D:href><D:status>HTTP/1.1 404")) << got.body;
}

TEST_F(HardCasesTest, EveryRefusalThatTheRfcsNameHasItsElement) {
  const std::string home = std::string("/dav/calendars/") + user + "/";
  const std::string books = std::string("/dav/contacts/") + user + "/",
                    files = std::string("/dav/files/") + user + "/";
  const std::string tasks = home + "tasks/", book = books + "default/";
  const Headers card{{"Content-Type", "text/vcard"}}, plain{{"Content-Type", "text/plain"}};
  const auto vcard = [](const std::string& version, const std::string& uid) {
    return "BEGIN:VCARD\r\nVERSION:" + version + "\r\nUID:" + uid + "\r\nFN:A\r\nN:A;;;;\r\nEND:VCARD\r\n";
  };
  put(calendar() + "a.ics", event("a"));
  ASSERT_EQ(client().send("PUT", book + "a.vcf", vcard("3.0", "a"), card).status, 201);
  ASSERT_EQ(client().send("PUT", files + "a.txt", "a", plain).status, 201);
  ASSERT_EQ(client().send("PUT", files + "locked.txt", "a", plain).status, 201);
  const std::string lock =
      "<D:lockinfo xmlns:D='DAV:'><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/>"
      "</D:locktype></D:lockinfo>";
  ASSERT_EQ(client().send("LOCK", files + "locked.txt", lock).status, 200);
  const auto filter = [](const std::string& inside) {
    return xml("C:calendar-query", "<D:prop/><C:filter><C:comp-filter name='VCALENDAR'>" + inside +
                                       "</C:comp-filter></C:filter>");
  };
  const auto cards = [](const std::string& inside, const std::string& data = "<D:getetag/>") {
    return "<A:addressbook-query xmlns:D='DAV:' xmlns:A='urn:ietf:params:xml:ns:carddav'><D:prop>" + data +
           "</D:prop><A:filter" + inside + "</A:filter></A:addressbook-query>";
  };
  const auto patch = [](const std::string& property) {
    return xml("D:propertyupdate", "<D:set><D:prop>" + property + "</D:prop></D:set>");
  };
  struct Row {
    const char* rfc;
    std::string method, path, body;
    Headers headers;
    int status;
    std::string element;
  };
  const std::vector<Row> rows{
      // RFC 4918, 16
      {"4918 lock-token-submitted", "PUT", files + "locked.txt", "b", plain, 423,
       "D:lock-token-submitted><D:href>"},
      {"4918 lock-token-submitted", "DELETE", files + "locked.txt", "", {}, 423, "D:lock-token-submitted>"},
      {"4918 no-conflicting-lock", "LOCK", files + "locked.txt", lock, {}, 423, "D:no-conflicting-lock>"},
      {"4918 lock-token-matches-request-uri",
       "UNLOCK",
       files + "a.txt",
       "",
       {{"Lock-Token", "<urn:uuid:none>"}},
       409,
       "D:lock-token-matches-request-uri"},
      {"4918 propfind-finite-depth",
       "PROPFIND",
       "/dav/",
       "",
       {{"Depth", "infinity"}},
       403,
       "D:propfind-finite-depth"},
      {"4918 cannot-modify-protected-property",
       "PROPPATCH",
       calendar(),
       patch("<D:getetag>x</D:getetag>"),
       {},
       207,
       "D:cannot-modify-protected-property"},
      // RFC 5689, 3.5
      {"5689 valid-resourcetype",
       "MKCOL",
       home + "x/",
       xml("D:mkcol",
           "<D:set><D:prop><D:resourcetype><D:collection/><D:principal/></D:resourcetype></D:prop></D:set>"),
       {},
       403,
       "D:valid-resourcetype"},
      // RFC 4791, 5.3.1.1, 5.3.2.1, 7.8 and 7.10
      {"4791 resource-must-be-null", "MKCALENDAR", tasks, "", {}, 403, "D:resource-must-be-null"},
      {"4791 calendar-collection-location-ok",
       "MKCALENDAR",
       calendar() + "x/",
       "",
       {},
       403,
       "C:calendar-collection-location-ok"},
      {"4791 calendar-collection-location-ok",
       "MKCALENDAR",
       files + "x/",
       "",
       {},
       403,
       "C:calendar-collection-location-ok"},
      {"4791 valid-calendar-data",
       "MKCALENDAR",
       home + "x/",
       xml("C:mkcalendar", "<D:set><D:prop><C:calendar-timezone>x</C:calendar-timezone></D:prop></D:set>"),
       {},
       403,
       "C:valid-calendar-data"},
      {"4791 valid-calendar-data",
       "PROPPATCH",
       calendar(),
       patch("<C:calendar-timezone>x</C:calendar-timezone>"),
       {},
       207,
       "C:valid-calendar-data"},
      {"4791 supported-calendar-data", "PUT", calendar() + "x.ics", event("x"), plain, 403,
       "C:supported-calendar-data"},
      {"4791 supported-calendar-component", "PUT", tasks + "x.ics", event("x"), is_calendar, 403,
       "C:supported-calendar-component"},
      {"4791 supported-calendar-component",
       "COPY",
       calendar() + "a.ics",
       "",
       {{"Destination", tasks + "a.ics"}},
       403,
       "C:supported-calendar-component"},
      {"4791 no-uid-conflict",
       "COPY",
       calendar() + "a.ics",
       "",
       {{"Destination", calendar() + "b.ics"}},
       409,
       "C:no-uid-conflict><D:href>" + calendar() + "a.ics"},
      {"4791 valid-calendar-data",
       "COPY",
       files + "a.txt",
       "",
       {{"Destination", calendar() + "b.ics"}},
       403,
       "C:valid-calendar-data"},
      {"4791 supported-calendar-data",
       "REPORT",
       calendar(),
       xml("C:calendar-multiget", "<D:prop><C:calendar-data version='1.0'/></D:prop><D:href>x</D:href>"),
       {},
       403,
       "C:supported-calendar-data"},
      {"4791 valid-filter", "REPORT", calendar(), filter("<C:comp-filter/>"), {}, 403, "C:valid-filter"},
      {"4791 supported-filter",
       "REPORT",
       calendar(),
       filter("<C:comp-filter name='X-OTHER'><C:time-range start='20260101T000000Z'/></C:comp-filter>"),
       {},
       403,
       "C:supported-filter"},
      {"4791 supported-collation",
       "REPORT",
       calendar(),
       filter("<C:comp-filter name='VEVENT'><C:prop-filter name='SUMMARY'><C:text-match "
              "collation='i;basic'>a</C:text-match>"
              "</C:prop-filter></C:comp-filter>"),
       {},
       403,
       "C:supported-collation"},
      // RFC 6352, 5.1 and 8.6
      {"6352 supported-address-data", "PUT", book + "b.vcf", vcard("2.1", "b"), card, 403,
       "CARD:supported-address-data"},
      {"6352 valid-address-data", "PUT", book + "b.vcf", "BEGIN:VCARD\r\n", card, 403,
       "CARD:valid-address-data"},
      {"6352 no-uid-conflict", "PUT", book + "b.vcf", vcard("4.0", "a"), card, 409,
       "CARD:no-uid-conflict><D:href>"},
      {"6352 addressbook-collection-location-ok",
       "MKCOL",
       book + "x/",
       "<D:mkcol xmlns:D='DAV:' "
       "xmlns:A='urn:ietf:params:xml:ns:carddav'><D:set><D:prop><D:resourcetype><D:collection/>"
       "<A:addressbook/></D:resourcetype></D:prop></D:set></D:mkcol>",
       {},
       403,
       "CARD:addressbook-collection-location-ok"},
      {"6352 supported-collation",
       "REPORT",
       book,
       cards("><A:prop-filter name='FN'><A:text-match collation='i;basic'>a</A:text-match></A:prop-filter>"),
       {},
       403,
       "CARD:supported-collation"},
      {"6352 valid-filter", "REPORT", book, cards(" test='some'>"), {}, 403, "CARD:valid-filter"},
      {"6352 supported-address-data",
       "REPORT",
       book,
       cards(">", "<A:address-data version='2.1'/>"),
       {},
       403,
       "CARD:supported-address-data"},
      // RFC 6578, 3.2 and 3.3
      {"6578 valid-sync-token", "REPORT", calendar(), sync("urn:x"), {}, 403, "D:valid-sync-token"},
      {"6578 sync-traversal-supported",
       "REPORT",
       files,
       xml("D:sync-collection", "<D:sync-token/><D:sync-level>infinite</D:sync-level><D:prop/>"),
       {},
       403,
       "D:"},
      // RFC 3253, 3.6, and RFC 3744, 7.1.1
      {"3253 supported-report",
       "REPORT",
       calendar(),
       xml("D:version-tree", ""),
       {},
       403,
       "D:supported-report"},
      {"3744 need-privileges", "PUT", "/dav/calendars/somebody/default/x.ics", event("x"), is_calendar, 403,
       "D:need-privileges><D:resource><D:href>/dav/calendars/somebody/default/x.ics</"
       "D:href><D:privilege><D:write/>"},
      {"3744 need-privileges",
       "PROPFIND",
       "/dav/files/somebody/",
       "",
       {{"Depth", "0"}},
       403,
       "D:need-privileges><D:resource><D:href>/dav/files/somebody/</D:href><D:privilege><D:read/>"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.rfc);
    const auto answer = client().send(row.method, row.path, row.body, row.headers);
    EXPECT_EQ(answer.status, row.status) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr("<" + row.element)) << answer.body;
    EXPECT_THAT(header(answer, "Content-Type"), HasSubstr("application/xml"));
  }
  // RFC 4331, 6
  ASSERT_EQ(pollux({"user", "quota", user, "1K"}).exit_code, 0);
  const auto full = client().send("PUT", files + "b.txt", std::string(2000, 'b'), plain);
  EXPECT_EQ(full.status, 507);
  EXPECT_THAT(full.body, HasSubstr("<D:quota-not-exceeded"));
}

TEST_F(HardCasesTest, QuestionsOfEveryFormAreAnswered) {
  put(calendar() + "a.ics", event("a"));
  struct Row {
    std::string method, path, body;
    Headers headers;
    int status;
    std::vector<std::string> told, not_told;
  };
  const std::string unknown = xml("D:propfind", "<D:prop><D:getetag/><x xmlns='urn:x'/></D:prop>");
  for (const auto& row : std::vector<Row>{
           {"REPORT", calendar(), "", {}, 400, {"none."}, {}},
           {"REPORT", calendar(), xml("D:expand-all", ""), {}, 403, {"<D:supported-report/>"}, {}},
           {"PROPFIND",
            calendar() + "a.ics",
            unknown,
            {{"Depth", "0"}},
            207,
            {"<x:x xmlns:x=\"urn:x\"/></D:prop><D:status>HTTP/1.1 404", "<D:getetag>"},
            {}},
           {"PROPFIND",
            calendar() + "a.ics",
            unknown,
            {{"Depth", "0"}, {"Prefer", "return=minimal"}},
            207,
            {"<D:getetag>"},
            {"404"}},
           {"PROPFIND",
            calendar() + "a.ics",
            xml("D:propfind", "<D:propname/>"),
            {{"Depth", "0"}},
            207,
            {"<D:getetag/>", "<D:lockdiscovery/>"},
            {"<D:getetag>"}},
           {"PROPFIND",
            calendar() + "a.ics",
            xml("D:propfind", "<D:allprop/>"),
            {{"Depth", "0"}},
            207,
            {"<D:getetag>", "<D:supportedlock>"},
            {"<D:acl>"}},
           {"PROPFIND",
            calendar() + "a.ics",
            xml("D:propfind", "<D:allprop/><D:include><D:owner/></D:include>"),
            {{"Depth", "0"}},
            207,
            {"<D:getetag>", "<D:owner><D:href>"},
            {}},
           {"PROPFIND", calendar(), unknown, {}, 207, {"a.ics</D:href>"}, {}},  // infinity is meant
           {"PROPFIND", "/dav/", unknown, {}, 403, {"<D:propfind-finite-depth/>"}, {}},
           {"REPORT",
            calendar(),
            query("VEVENT", "20260315T000000Z", "20260316T000000Z"),
            {},
            207,
            {"a.ics"},
            {}},
       }) {
    SCOPED_TRACE(row.method + " " + row.body);
    const auto answer = client().send(row.method, row.path, row.body, row.headers);
    EXPECT_EQ(answer.status, row.status) << answer.body;
    for (const auto& part : row.told) EXPECT_THAT(answer.body, HasSubstr(part));
    for (const auto& part : row.not_told) EXPECT_THAT(answer.body, Not(HasSubstr(part)));
  }
}

TEST_F(HardCasesTest, AnItemHasOneEtagHoweverItIsAskedFor) {
  for (int number = 0; number < 20; ++number)
    put(calendar() + std::to_string(number), event(std::to_string(number)));
  const std::string item = calendar() + "1", tag = header(client().send("GET", item), "ETag");
  const Headers gzip{{"Accept-Encoding", "gzip"}};
  const auto whole = client().send("GET", item, "", gzip);
  EXPECT_EQ(header(whole, "Content-Encoding"), "");
  EXPECT_EQ(header(whole, "ETag"), tag);
  const auto listing =
      client().send("PROPFIND", calendar(), "", {{"Depth", "1"}, {"Accept-Encoding", "gzip"}});
  EXPECT_EQ(header(listing, "Content-Encoding"), "gzip");
  EXPECT_EQ(header(listing, "ETag"), "");
  struct Row {
    std::string method, name, value;
    int status;
  };
  for (const auto& row : std::vector<Row>{{"GET", "If-None-Match", tag, 304},
                                          {"GET", "If-None-Match", "W/" + tag, 304},
                                          {"GET", "If-None-Match", "\"other\", " + tag, 304},
                                          {"GET", "If-None-Match", "*", 304},
                                          {"GET", "If-None-Match", "\"other\"", 200},
                                          {"HEAD", "If-None-Match", tag, 304},
                                          {"GET", "If-Match", "\"other\"", 412},
                                          {"PUT", "If-Match", "W/" + tag, 412},
                                          {"PUT", "If-None-Match", "\"other\", " + tag, 412},
                                          {"PUT", "If-Match", "\"other\", " + tag, 204}}) {
    SCOPED_TRACE(row.method + " " + row.name + ": " + row.value);
    Headers headers{{row.name, row.value}, {"Accept-Encoding", "gzip"}};
    headers.insert(headers.end(), is_calendar.begin(), is_calendar.end());
    const auto answer = client().send(row.method, item, row.method == "PUT" ? event("1") : "", headers);
    EXPECT_EQ(answer.status, row.status) << answer.body;
    if (answer.status == 304) {
      EXPECT_EQ(header(answer, "ETag"), tag);
      EXPECT_EQ(answer.body, "");
    }
  }
}

TEST_F(HardCasesTest, ConnectionsOfEveryAgeAreKept) {
  const std::string login = "Authorization: Basic YW5uYTpjb3JyZWN0LWhvcnNlLWJhdHRlcnk=\r\n";
  const std::string path = calendar() + "a.ics", body = event("a");
  const auto talk = [this](const std::string& bytes) {
    const RawHttp raw(gateway());
    EXPECT_TRUE(raw.send(bytes));
    return raw.receive();
  };
  std::string chunks;
  for (std::size_t at = 0; at < body.size(); at += 50) {
    const std::string part = body.substr(at, 50);
    std::ostringstream size;
    size << std::hex << part.size();
    chunks += size.str() + ";extension=1\r\n" + part + "\r\n";
  }
  const RawHttp expecting(gateway());
  expecting.send("PUT " + path + " HTTP/1.1\r\nHost: x\r\n" + login +
                 "Expect: 100-continue\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
  expecting.send(chunks + "0\r\n\r\n");
  const std::string stored = expecting.receive();
  EXPECT_THAT(stored, HasSubstr("201 Created")) << stored;
  EXPECT_EQ(client().send("GET", path).body, body);
  const std::string old = "GET " + path + " HTTP/1.0\r\n" + login;
  const auto kept = talk(old + "Connection: keep-alive\r\n\r\n" + old + "\r\n");
  EXPECT_EQ(all_of(kept, "(HTTP/1.1 200)").size(), 2U) << kept;
  EXPECT_THAT(kept, ::testing::ContainsRegex("[Kk]eep-[Aa]live"));
  EXPECT_EQ(all_of(talk(old + "\r\n" + old + "\r\n"), "(HTTP/1.1 200)").size(), 1U);
  const std::string modern = "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + login;
  const auto pipelined = talk(modern + "\r\n" + modern + "\r\n" + modern + "Connection: close\r\n\r\n");
  EXPECT_EQ(all_of(pipelined, "(HTTP/1.1 200)").size(), 3U) << pipelined;
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
