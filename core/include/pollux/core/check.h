// POLLUX_CHECK: an invariant of ours that must hold in every build.
//
// A failed check is our mistake, not the world's. The member stops at once and its peer takes over:
// that is what a process pair is for. Errors of the world are `Result`s (result.h), never checks.
#pragma once

namespace pollux {

/// Called when a check fails. Prints one line and aborts, unless a test or simulator installed its own
/// handler, which must not return.
[[noreturn]] void check_failed(const char* condition, const char* file, int line, const char* why) noexcept(false);

using CheckHandler = void (*)(const char* condition, const char* file, int line, const char* why);

/// Replaces what a failed check does (simulator: throw, so that the seed is reported). Null restores abort.
/// Not thread-safe: set it before threads start.
void set_check_handler(CheckHandler handler);

}  // namespace pollux

#define POLLUX_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::pollux::check_failed(#condition, __FILE__, __LINE__, ""))
#define POLLUX_CHECK_WHY(condition, why) \
  ((condition) ? static_cast<void>(0) : ::pollux::check_failed(#condition, __FILE__, __LINE__, why))
