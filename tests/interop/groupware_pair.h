// Other people's programs, run against a groupware pair.
#pragma once

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <string>
#include <thread>

#include "integration/groupware_fixture.h"

namespace pollux::testing {

/// What a program said, both streams in one, and its exit code.
struct Said {
  int exit_code = -1;
  std::string text;
};

class GroupwarePair : public GroupwareFixture {
 protected:
  [[nodiscard]] std::string url(const std::string& path) const { return "http://" + gateway() + path; }

  /// A directory for what the program writes.
  [[nodiscard]] std::filesystem::path room() {
    const auto path = pair().home() / "client";
    std::filesystem::create_directories(path);
    return path;
  }
  /// Runs a shell command in `room`; 10 minutes are the most that ctest gives it.
  Said run(const std::string& command) {
    Said said;
    const std::string whole = "cd '" + room().string() + "' && { " + command + "; } 2>&1";
    FILE* pipe = ::popen(whole.c_str(), "r");
    if (pipe == nullptr) return said;
    std::array<char, 4096> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
      said.text.append(part.data(), count);
    }
    const int status = ::pclose(pipe);
    said.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return said;
  }

  /// Like `run`; the primary is killed again and again until the program has done all. What clients have been
  /// told of ETags and sync tokens holds all the while, and after one more kill.
  Said run_with_kills(const std::string& command) {
    remember();
    Said said;
    std::atomic<bool> ended = false;
    std::thread thread([&] {
      said = run(command);
      ended = true;
    });
    int kills = 0;
    for (; !ended && !HasFatalFailure(); ++kills) {
      kill_member(primary());
      wait_in_sync();
    }
    thread.join();
    EXPECT_GE(kills, 1) << "it was too quick\n" << said.text;
    expect_remembered();
    return said;
  }

  /// Gives another user, whose collections nobody changes meanwhile, something to have ETags and sync tokens
  /// of.
  void remember() {
    if (still_.empty()) {
      add_user(onlooker);
      const HttpClient client(gateway(), onlooker, password);
      const std::string event =
          "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//"
          "EN\r\nBEGIN:VEVENT\r\nUID:still\r\nDTSTAMP:20260101T000000Z"
          "\r\nDTSTART:20260315T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
      const std::string card =
          "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:still\r\nFN:Still\r\nN:Still;;;;\r\nEND:VCARD\r\n";
      const std::string home = std::string("/") + onlooker + "/";
      for (const auto& [path, type, body] :
           {std::tuple{"/dav/calendars" + home + "default/a.ics", "text/calendar", event},
            {"/dav/contacts" + home + "default/a.vcf", "text/vcard", card},
            {"/dav/files" + home + "a.txt", "text/plain", std::string("still")}}) {
        ASSERT_EQ(client.send("PUT", path, body, {{"Content-Type", type}}).status, 201) << path;
      }
    }
    still_ = told_to(onlooker);
  }
  /// Nothing of that has changed; nor, by one more takeover, has what the user's own client was told last.
  void expect_remembered() {
    wait_in_sync();
    if (HasFatalFailure()) return;
    EXPECT_EQ(told_to(onlooker), still_);
    const std::string own = told_to(user);
    kill_member(primary());
    wait_in_sync();
    if (HasFatalFailure()) return;
    EXPECT_EQ(told_to(user), own);
    EXPECT_EQ(told_to(onlooker), still_);
    expect_tokens_current(user, own);
    expect_tokens_current(onlooker, still_);
  }

 private:
  static constexpr auto onlooker = "olga";

  /// ETags, getctag and sync tokens of everything that a user has, as PROPFIND tells them.
  [[nodiscard]] std::string told_to(const std::string& who) const {
    const HttpClient client(gateway(), who, password);
    std::string told;
    for (const std::string space : {"calendars", "contacts", "files"}) {
      const auto answer =
          client.send("PROPFIND", "/dav/" + space + "/" + who + "/",
                      "<D:propfind xmlns:D='DAV:' xmlns:CS='http://calendarserver.org/ns/'><D:prop>"
                      "<D:getetag/><D:getlastmodified/><CS:getctag/><D:sync-token/></D:prop></D:propfind>",
                      {{"Depth", "infinity"}});
      EXPECT_EQ(answer.status, 207) << answer.body;
      told += answer.body;
    }
    return told;
  }
  /// Each collection's token is taken, and tells that nothing has changed since.
  void expect_tokens_current(const std::string& who, const std::string& told) const {
    const HttpClient client(gateway(), who, password);
    const std::regex collection(
        "<D:href>(/dav/[a-z]+/[^/<]+/[^<]+/)</D:href>.*?<D:sync-token>([^<]+)</D:sync-token>");
    std::size_t count = 0;
    for (std::sregex_iterator at(told.begin(), told.end(), collection), end; at != end; ++at, ++count) {
      const auto answer = client.send("REPORT", (*at)[1],
                                      "<D:sync-collection xmlns:D='DAV:'><D:sync-token>" + (*at)[2].str() +
                                          "</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/"
                                          "></D:prop></D:sync-collection>");
      EXPECT_EQ(answer.status, 207) << answer.body;
      EXPECT_EQ(answer.body.find("<D:response>"), std::string::npos) << (*at)[1] << answer.body;
      EXPECT_NE(answer.body.find((*at)[2].str()), std::string::npos) << answer.body;
    }
    EXPECT_GE(count, 2U) << told;
  }

  std::string still_;
};

}  // namespace pollux::testing
