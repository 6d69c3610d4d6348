// The sync id in execution stands in a small mapped file (design, section 3.4), so that a process that dies in
// the middle tells the next run which request was the last. Writing it costs two stores: the page cache
// survives the process, and after a power loss it does not matter.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

/// What an earlier run left behind.
struct InterruptedRequest {
  SyncId sync;
  /// True if it is certain that the request did the harm: the thread that executed it crashed, or it did not
  /// come back. False if the process was killed from outside meanwhile: most likely an innocent request.
  bool guilty = false;
};

class ExecutingMark {
 public:
  /// Maps `<directory>/executing`, made if missing, and clears it. `boot`: what another boot of the host left
  /// says nothing about a request.
  static Result<ExecutingMark> open(const std::filesystem::path& directory, const BootId& boot);
  ~ExecutingMark();
  ExecutingMark(ExecutingMark&& other) noexcept;
  ExecutingMark& operator=(ExecutingMark&&) = delete;

  /// What was found at open.
  [[nodiscard]] const std::optional<InterruptedRequest>& found() const { return found_; }

  /// Called by the executor around each call of the service.
  void begin(const SyncId& sync);
  void end();

  /// Another thread gives up on the executor: marks the request as guilty if it has been executing for at
  /// least `limit`, and returns whether one has. The process must end now.
  bool give_up(Duration limit);

  /// From now on, if the calling thread crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) while it executes a
  /// request, that request is marked as guilty. Also gives the thread a stack for that, since its own may be
  /// what overflowed. Handlers that were there before run afterwards.
  void guard_this_thread();
  void unguard_this_thread();

  struct Page;

 private:
  ExecutingMark(Page* page, std::optional<InterruptedRequest> found) : page_(page), found_(found) {}
  Page* page_;
  std::optional<InterruptedRequest> found_;
};

}  // namespace pollux
