// The far end of a connection that is measured: a process of its own, here or on another host, which does
// what it is told over a control connection. Both are the same program, `pollux bench peer`.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "peer/line_socket.h"
#include "pollux/bench/child_process.h"
#include "pollux/bench/peer.h"

namespace pollux {

class Peer {
 public:
  static constexpr std::chrono::milliseconds answer_limit{10'000};

  /// Starts one on this host, with its control socket and output in `directory`.
  static Result<std::unique_ptr<Peer>> start_here(const std::string& command,
                                                  const std::filesystem::path& directory);
  /// One that somebody started with `pollux bench peer --listen` on another host.
  static Result<std::unique_ptr<Peer>> connect(const std::string& address);

  /// Gives an order; returns when the far end is ready for it, with what it says: ports, paths, CPUs.
  Result<Facts> order(const std::string& verb, Facts words);
  /// Waits until what was ordered has ended; with what it counted.
  Result<Facts> done(std::chrono::milliseconds limit = answer_limit);
  [[nodiscard]] bool gone() const { return control_->hung_up(); }
  /// Host name or address that data connections go to.
  [[nodiscard]] const std::string& host() const { return host_; }
  [[nodiscard]] ChildProcess* process() { return process_.get(); }  ///< null if it is elsewhere

 private:
  Peer() = default;
  Result<Facts> expect(const std::string& verb, std::chrono::milliseconds limit);
  std::unique_ptr<ChildProcess> process_;
  std::unique_ptr<LineSocket> control_;
  std::string host_ = "127.0.0.1";
};

/// The far end that all cells of one call share: started, or connected to, when it is first needed.
class SharedPeer {
 public:
  /// `address`: of one on another host; empty: one is started here.
  SharedPeer(std::string command, std::filesystem::path directory, std::string address)
      : command_(std::move(command)), directory_(std::move(directory)), address_(std::move(address)) {}
  /// A new one if the last one is gone.
  Result<Peer*> get();
  void drop() { peer_.reset(); }

 private:
  const std::string command_;
  const std::filesystem::path directory_;
  const std::string address_;
  std::unique_ptr<Peer> peer_;
};

}  // namespace pollux
