// Real clients, each once undisturbed and once while the primary is killed again and again: they see no
// error.
#include <gmock/gmock.h>

#include <thread>

#include "integration/http_client.h"
#include "interop/groupware_pair.h"

namespace pollux::testing {
namespace {

class ClientsTest : public GroupwarePair {
 protected:
  [[nodiscard]] std::string calendar() const { return std::string("/dav/calendars/") + user + "/default/"; }
  static std::string words(const std::vector<std::string>& parts) {
    std::string command;
    for (const auto& part : parts) command += " '" + part + "'";
    return command;
  }
  std::string command(const std::string& script, const std::vector<std::string>& arguments) {
    return std::string("PATH=/usr/bin:/bin ") + POLLUX_CLIENTS + "/" + script + words(arguments);
  }

  static void expect_done(const Said& said) {
    EXPECT_EQ(said.exit_code, 0) << said.text;
    EXPECT_THAT(said.text, ::testing::EndsWith("done\n"));
  }
  /// Undisturbed, and again with kills; the room is emptied in between.
  void run_twice(const std::string& command) {
    expect_done(run(command));
    std::filesystem::remove_all(room());
    expect_done(run_with_kills(command));
  }
  void put(const std::string& name, const std::string& title) {
    const std::string body =
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:" + name +
        "\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260315T100000Z\r\nDTEND:20260315T110000Z\r\nSUMMARY:" +
        title + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    ASSERT_EQ(
        client().send("PUT", calendar() + name + ".ics", body, {{"Content-Type", "text/calendar"}}).status,
        201);
  }
};

TEST_F(ClientsTest, PythonCaldav) {
  run_twice(std::string("/usr/bin/python3 -W ignore ") + POLLUX_CLIENTS + "/python_caldav.py" +
            words({url("/dav/"), user, password}));
}

TEST_F(ClientsTest, VdirsyncerWithKhalAndTodoman) {
  run_twice(command("vdirsyncer.sh", {url(""), user, password, room()}));
}

TEST_F(ClientsTest, CalcurseCaldav) {
  run_twice(command("calcurse.sh", {gateway(), user, password, room()}));
}

TEST_F(ClientsTest, Syncevolution) {
  run_twice(command("syncevolution.sh", {url(calendar()), user, password, room()}));
}

TEST_F(ClientsTest, Evolution) {
  run_twice(command("evolution.sh", {url(calendar()), user, password, room()}));
}

TEST_F(ClientsTest, Tsdav) {
  run_twice("mkdir -p tsdav && cp " + std::string(POLLUX_CLIENTS) +
            "/tsdav.mjs tsdav/ && cd tsdav && ln -sfn " POLLUX_NODE_MODULES
            " node_modules && node tsdav.mjs" +
            words({url("/"), user, password}));
}

TEST_F(ClientsTest, Thunderbird) {
  put("one", "First meeting");
  put("two", "Second meeting");
  expect_done(run(command(
      "thunderbird.py", {gateway(), calendar(), user, password, room(), "First meeting", "Second meeting"})));
}

TEST_F(ClientsTest, ThunderbirdThroughATakeover) {
  put("one", "First meeting");
  remember();
  Said said;
  std::thread thread([&] {
    said = run(command("thunderbird.py",
                       {gateway(), calendar(), user, password, room(), "First meeting", "Second meeting"}));
  });
  const auto log = room() / "thunderbird" / "access.log";
  wait_until("Thunderbird to ask",
             [&] { return std::filesystem::exists(log) && std::filesystem::file_size(log) > 0; });
  kill_member(primary());
  put("two", "Second meeting");
  thread.join();
  expect_done(said);
  expect_remembered();
}

}  // namespace
}  // namespace pollux::testing
