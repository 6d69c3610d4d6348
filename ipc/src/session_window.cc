#include "session_window.h"

#include "pollux/core/check.h"

namespace pollux {

bool SessionWindow::make_room() {
  if (states_.size() < window_) return true;
  if (states_.front() == State::doubtful) {
    states_.front() = State::settled;
    advance();
  }
  return states_.size() < window_;
}

std::uint64_t SessionWindow::assign() {
  POLLUX_CHECK(states_.size() < window_);
  states_.push_back(State::open);
  return base_ + states_.size() - 1;
}

void SessionWindow::settle(std::uint64_t seq) {
  set(seq, State::settled);
  advance();
}

void SessionWindow::doubt(std::uint64_t seq) { set(seq, State::doubtful); }

void SessionWindow::set(std::uint64_t seq, State state) {
  if (seq < base_ || seq - base_ >= states_.size()) return;  // given up, or of another session
  states_[seq - base_] = state;
}

void SessionWindow::advance() {
  while (!states_.empty() && states_.front() == State::settled) {
    states_.pop_front();
    ++base_;
  }
}

}  // namespace pollux
