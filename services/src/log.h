// A member's log: lines on stderr and in <directory>/log, which rotates. Written by a thread of its own, so
// that a disk that hangs never holds up the thread that logs; when that thread can't keep up, the oldest lines
// are dropped.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "pollux/core/result.h"

namespace pollux {

class MemberLog {
 public:
  struct Options {
    std::filesystem::path directory;    ///< empty: stderr only
    std::string name;                   ///< "ledger.a": stands in every line
    std::size_t file_bytes_max = 4u << 20;
    std::size_t files_max = 3;
  };
  static Result<std::unique_ptr<MemberLog>> open(const Options& options);
  ~MemberLog();  ///< writes what is queued

  void info(const std::string& text);
  void warning(const std::string& text);
  void error(const std::string& text);

 private:
  struct Impl;
  explicit MemberLog(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pollux
