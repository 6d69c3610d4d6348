// curl, as the handbook shows it, against a real pair: undisturbed, and while the primary is killed.
#include <fstream>

#include "interop/groupware_pair.h"

namespace pollux::testing {
namespace {

class CurlTest : public GroupwarePair {
 protected:
  static std::string calendar() { return std::string("/dav/calendars/") + user + "/default/"; }
  static std::string files() { return std::string("/dav/files/") + user + "/"; }
  /// A command that prints a word for each step that did not get its status.
  [[nodiscard]] std::string step(const std::string& status, const std::string& options,
                                 const std::string& path) const {
    return "s=$(curl -sS --max-time 120 -u " + std::string(user) + ":" + password +
           " -o out -w '%{http_code}' " + options + " '" + url(path) + "'); [ \"$s\" = " + status +
           " ] || echo \"FAILED $s for " + path + "\"\n";
  }
  void write_event(const std::string& uid) {
    std::ofstream(room() / (uid + ".ics"))
        << "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:" << uid
        << "\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260315T100000Z\r\nSUMMARY:A fold\r\n ed "
           "line\r\nX-ODD:1  \r\n"
           "END:VEVENT\r\nEND:VCALENDAR\r\n";
  }
  /// How to run them.
  std::string script(const std::string& steps) {
    std::ofstream(room() / "steps.sh") << steps << "echo done\n";
    return "sh steps.sh";
  }
  /// A day's requests, on names of their own.
  std::string day(const std::string& name) {
    write_event(name);
    const std::string item = calendar() + name + ".ics", box = files() + name + "/";
    return step("201", "-T " + name + ".ics -H 'If-None-Match: *'", item) +
           step("412", "-T " + name + ".ics -H 'If-None-Match: *'", item) +
           step("200", "--compressed -D head", item) + "cmp " + name + ".ics out || echo FAILED cmp\n" +
           step("304", "-H \"If-None-Match: $(sed -n 's/^[Ee][Tt]ag: //p' head | tr -d '\\r')\"", item) +
           step("207", "-X PROPFIND -H 'Depth: 1'", calendar()) +
           step("204", "-T - -H 'Expect: 100-continue' < " + name + ".ics", item) + step("200", "-I", item) +
           step("201", "-X MKCOL", box) + step("201", "-T " + name + ".ics", box + "page%20%C3%BC.md") +
           step("201", "-X MOVE -H 'Destination: " + url(box + "old.md") + "'", box + "page%20%C3%BC.md") +
           step("204", "-X DELETE", box) + step("404", "", box) + step("204", "-X DELETE", item);
  }
};

TEST_F(CurlTest, EveryRequestOfTheHandbookGetsItsStatus) {
  EXPECT_EQ(run(script(day("one"))).text, "done\n");
  EXPECT_EQ(run(script(step("200", "", calendar() + "none.ics"))).text,
            "FAILED 404 for " + calendar() + "none.ics\ndone\n");
}

TEST_F(CurlTest, TheSameWhileThePrimaryIsKilled) {
  std::string days;
  for (int number = 0; number < 5; ++number) days += day("day" + std::to_string(number));
  EXPECT_EQ(run_with_kills(script(days)).text, "done\n");
}

}  // namespace
}  // namespace pollux::testing
