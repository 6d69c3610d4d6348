// What a person sees: lines, colours on a terminal, progress, a password typed without echo.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pollux/core/result.h"

namespace pollux {

/// One line on standard output. Whole lines only, so that several processes don't mix within one. A terminal
/// that has gone away is no error.
void print(std::string_view line);
/// "pollux: ..." on standard error.
void complain(std::string_view text);
/// Prints the error, and returns the exit code that fits it.
int fail_with(const Error& error);

/// Standard output is a terminal that wants colours (NO_COLOR is honoured).
bool colourful();
std::string red(std::string_view text);  ///< bold, for what must not be overlooked
std::string yellow(std::string_view text);
std::string green(std::string_view text);
std::string dim(std::string_view text);

/// Control characters and broken UTF-8 made visible, so that stored text can't play with a terminal.
std::string printable(std::string_view text);

/// How far a long task is: one line that is rewritten on a terminal, one line every few seconds elsewhere.
/// Goes to standard error.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  void at(std::uint64_t done, std::uint64_t total);

 private:
  std::string what_;
  bool terminal_ = false, shown_ = false;
  std::int64_t last_ms_ = 0;
};

/// Reads a new password: typed twice without echo on a terminal, else the first line of standard input.
Result<std::string> read_new_password(std::string_view user);
/// On a terminal asks for `word` to be typed; elsewhere false.
bool confirmed(std::string_view question, std::string_view word);

}  // namespace pollux
