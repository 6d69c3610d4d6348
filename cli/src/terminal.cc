#include "terminal.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "exit_codes.h"

namespace pollux {

namespace {

constexpr std::int64_t progress_terminal_ms = 100, progress_plain_ms = 5000;
constexpr std::size_t password_bytes_max = 1024;

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

std::string coloured(std::string_view code, std::string_view text) {
  if (!colourful()) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

/// The terminal as it was, for the signal handler; none: nothing to restore.
termios terminal_before{};
volatile std::sig_atomic_t terminal_changed = 0;
constexpr int deadly_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

extern "C" void restore_terminal_and_die(int number) {
  if (terminal_changed != 0) ::tcsetattr(0, TCSAFLUSH, &terminal_before);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

/// Echo is off while this lives, and on again however the process ends: by Ctrl-C, too. Ctrl-Z does nothing, or
/// the password would be typed with echo after the shell has restored the terminal.
class Quiet {
 public:
  Quiet() {
    if (::tcgetattr(0, &terminal_before) != 0) return;
    for (std::size_t i = 0; i < std::size(deadly_signals); ++i) {
      struct sigaction action{};
      action.sa_handler = restore_terminal_and_die;
      ::sigaction(deadly_signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(deadly_signals[i], &action, nullptr);
    }
    termios quiet = terminal_before;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    quiet.c_cc[VSUSP] = _POSIX_VDISABLE;
    terminal_changed = 1;
    ::tcsetattr(0, TCSAFLUSH, &quiet);
  }
  ~Quiet() {
    if (terminal_changed == 0) return;
    ::tcsetattr(0, TCSAFLUSH, &terminal_before);
    terminal_changed = 0;
    for (std::size_t i = 0; i < std::size(deadly_signals); ++i) {
      ::sigaction(deadly_signals[i], &before_[i], nullptr);
    }
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  struct sigaction before_[std::size(deadly_signals)]{};
};

Result<std::string> read_line() {
  std::string line;
  if (!std::getline(std::cin, line)) {
    return fail(Code::invalid_argument,
                "no password was given; type one, or give it as a line on standard input");
  }
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty()) return fail(Code::invalid_argument, "the password is empty; choose another");
  if (line.size() > password_bytes_max)
    return fail(Code::too_large, "the password is longer than 1024 bytes");
  return line;
}

Result<std::string> ask_quietly(const std::string& question) {
  const Quiet quiet;  // first: who answers at once must not see it on the screen
  write_all(2, question);
  Result<std::string> line = read_line();
  write_all(2, "\n");
  return line;
}

std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || length > text.size() || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  if (first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0) return 0;  // C1 controls
  return length;
}

}  // namespace

void print(std::string_view line) { write_all(1, std::string(line) + "\n"); }

void complain(std::string_view text) { write_all(2, "pollux: " + std::string(text) + "\n"); }

int fail_with(const Error& error) {
  complain(error.text);
  return exit_code(error.code);
}

bool colourful() {
  static const bool yes = [] {
    const char* off = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    return ::isatty(1) != 0 && (!off || !*off) && term && std::string_view(term) != "dumb";
  }();
  return yes;
}

std::string red(std::string_view text) { return coloured("1;31", text); }
std::string yellow(std::string_view text) { return coloured("33", text); }
std::string green(std::string_view text) { return coloured("32", text); }
std::string dim(std::string_view text) { return coloured("2", text); }

std::string printable(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (length == 0 || c < 0x20 || c == 0x7f) {
      out += "\\x";
      out += hex[c >> 4];
      out += hex[c & 15];
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)), terminal_(::isatty(2) != 0), last_ms_(now_ms()) {}

ProgressLine::~ProgressLine() {
  if (terminal_ && shown_) write_all(2, "\r\033[K");
}

void ProgressLine::at(std::uint64_t done, std::uint64_t total) {
  const std::int64_t now = now_ms();
  if (now - last_ms_ < (terminal_ ? progress_terminal_ms : progress_plain_ms)) return;
  last_ms_ = now;
  shown_ = true;
  const std::string percent = total == 0 ? "" : " (" + std::to_string(done * 100 / total) + " %)";
  const std::string line = what_ + ": " + std::to_string(done) + " of " + std::to_string(total) + percent;
  write_all(2, terminal_ ? "\r\033[K" + line : line + "\n");
}

Result<std::string> read_new_password(std::string_view user) {
  if (::isatty(0) == 0) return read_line();
  Result<std::string> first = ask_quietly("New password for " + std::string(user) + ": ");
  if (!first) return first;
  Result<std::string> second = ask_quietly("The same again: ");
  if (!second) return second;
  if (*first != *second) return fail(Code::invalid_argument, "the two passwords differ; nothing was changed");
  return first;
}

bool confirmed(std::string_view question, std::string_view word) {
  if (::isatty(0) == 0) return false;
  write_all(2, std::string(question) + " Type " + std::string(word) + " to go on: ");
  std::string line;
  return std::getline(std::cin, line) && line == word;
}

}  // namespace pollux
