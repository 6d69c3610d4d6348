#include "run/progress.h"

#include <unistd.h>

#include <cstdio>

#include "pollux/bench/histogram.h"

namespace pollux {

namespace {
constexpr std::int64_t plain_detail_every_ns = 5'000'000'000;
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (dirty_) std::fputs("\r\033[K", stderr);
}

void Progress::phase(const std::string& text) {
  phase_ = text;
  detail_at_ = monotonic_ns();
  show(text);
}

void Progress::detail(const std::string& text) {
  const auto now = monotonic_ns();
  if (!terminal_ && now - detail_at_ < plain_detail_every_ns) return;
  detail_at_ = now;
  show(phase_ + ": " + text);
}

void Progress::show(const std::string& text) {
  const auto line = part_.empty() ? text : part_ + ": " + text;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    dirty_ = true;
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

}  // namespace pollux
