// Runs a `pollux` command within the test, and catches what it prints.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "command_line.h"

namespace pollux::testing {

struct Ran {
  int code = 0;
  std::string out, err;
};

inline Ran run_command(std::vector<std::string> words) {
  words.insert(words.begin(), "pollux");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Ran ran;
  ran.code = run_command_line(static_cast<int>(words.size()), argv.data());
  ran.out = ::testing::internal::GetCapturedStdout();
  ran.err = ::testing::internal::GetCapturedStderr();
  return ran;
}

inline std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A directory of its own, which is also the current one while it lives.
class Workplace {
 public:
  Workplace() : before_(std::filesystem::current_path()) {
    char name[] = "/tmp/pollux-cli-XXXXXX";
    path_ = ::mkdtemp(name);
    std::filesystem::current_path(path_);
    ::unsetenv("POLLUX_CONFIG");
  }
  ~Workplace() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path before_, path_;
};

}  // namespace pollux::testing
