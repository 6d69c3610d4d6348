#include "misbehave.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace pollux::ledger {
namespace {

// Deep enough to leave any stack; written so that no compiler makes a loop of it.
__attribute__((noinline)) int use_up_stack(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  if (depth < 0) return frame[0];
  return use_up_stack(depth + 1) + frame[0];
}

}  // namespace

bool may_misbehave() {
  const char* flag = std::getenv("POLLUX_LEDGER_TEST_REQUESTS");
  return flag != nullptr && std::string_view(flag) == "1";
}

ServiceReply misbehave(const Misbehave& request, WriteTxn& txn) {
  switch (request.how) {
    case Misbehave::How::crash: std::abort();
    case Misbehave::How::hang:
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    case Misbehave::How::throw_up:
      txn.put("misbehaved", "must not stay");
      throw std::runtime_error("thrown up by order");
    case Misbehave::How::sleep:
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min(request.ms, sleep_ms_max)));
      return {Code::ok, encode(Balance{})};
    case Misbehave::How::leave: ::_exit(1);
    case Misbehave::How::overflow: return {Code::ok, std::to_string(use_up_stack(1))};
  }
  return {Code::invalid_argument, "this misbehaviour is not known"};
}

}  // namespace pollux::ledger
