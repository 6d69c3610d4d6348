// What a long measurement is doing: one line that changes on a terminal, plain lines elsewhere. On standard
// error, so that a report on standard output stays clean.
#pragma once

#include <cstdint>
#include <string>

namespace pollux {

class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Stands before all that follows: which of several measurements this is. Empty: one only.
  void part(const std::string& text) { part_ = text; }
  /// A new phase begins: always shown.
  void phase(const std::string& text);
  /// How far it is: on a terminal at once; elsewhere at most one line in five seconds.
  void detail(const std::string& text);

 private:
  void show(const std::string& text);
  bool terminal_;
  bool dirty_ = false;  // the terminal's line is not finished
  std::string part_, phase_;
  std::int64_t detail_at_ = 0;
};

}  // namespace pollux
