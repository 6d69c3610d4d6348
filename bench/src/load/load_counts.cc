#include "load/load_counts.h"

#include <string_view>

namespace pollux {

namespace {
void note_error(LoadCounts& counts, Code code, std::string_view text) {
  if (counts.first_error.empty()) counts.first_error.append(to_string(code)).append(": ").append(text);
}
}  // namespace

bool count_call(const CallResult& result, LoadCounts& counts) {
  if (result) {
    counts.attempts += result->attempts;
    if (result->code == Code::ok) {
      ++counts.answered;
      return true;
    }
    ++counts.refused;
    note_error(counts, result->code, result->payload);
    return false;
  }
  const auto& error = result.error();
  if (error.code == Code::busy) {
    ++counts.busy;
  } else if (duty(error.code) == Duty::ask) {
    ++counts.in_doubt;
    counts.doubts.push_back(error.sync);
  } else {
    ++counts.failed;
    note_error(counts, error.code, error.text);
  }
  return false;
}

void LoadCounts::merge(const LoadCounts& other) {
  answered += other.answered;
  refused += other.refused;
  busy += other.busy;
  failed += other.failed;
  in_doubt += other.in_doubt;
  attempts += other.attempts;
  if (first_error.empty()) first_error = other.first_error;
  doubts.insert(doubts.end(), other.doubts.begin(), other.doubts.end());
}

}  // namespace pollux
