// What the tests of the member share: a directory of their own, waiting with a deadline, a config of a pair.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "pollux/services/config.h"

namespace pollux::testing {

/// Longest wait for anything that must happen: far above what a busy machine needs.
inline constexpr std::chrono::seconds patience{60};

class TestDirectory {
 public:
  TestDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "pollux-test-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TestDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// True as soon as `condition` is, false after `patience`.
inline bool eventually(const std::function<bool()>& condition) {
  const auto due = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > due) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// A ledger pair in `data`, with names short enough for sockets.
inline Config ledger_config(const std::filesystem::path& data) {
  Config config;
  config.cluster = {{7, 7, 7}};
  config.data = config.run = data;
  PairConfig pair;
  pair.name = pair.service = "ledger";
  pair.witness = data / "witness";
  pair.apply_every_ms = 50;
  for (const std::string name : {"a", "b"}) {
    MemberConfig member;
    member.name = name;
    member.directory = data / name;
    member.listen = "ipc://" + (data / (name + ".sock")).string();
    member.listen_heartbeat = "ipc://" + (data / (name + ".beat")).string();
    member.control = data / (name + ".control");
    pair.members.push_back(member);
  }
  config.pairs.push_back(pair);
  return config;
}

}  // namespace pollux::testing
