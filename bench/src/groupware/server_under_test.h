// A server that `bench groupware` measures, whoever made it: where it listens, and what it is able to do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pollux/bench/child_process.h"
#include "pollux/core/result.h"

namespace pollux {

struct ServerUnderTest {
  std::string name;           ///< "pollux", "nginx", "radicale", "xandikos"
  std::string version;        ///< as it says itself
  std::string how;            ///< how it was set up, in a few words, for the report
  std::string address;        ///< "127.0.0.1:8080"
  std::string authorization;  ///< header line of every request
  std::string root;           ///< path that collections are in: "/dav/calendars/bench/"
  bool dav = true;            ///< false: serves files, and nothing else

  [[nodiscard]] std::string collection_path(std::string_view collection) const {
    return root + std::string(collection) + "/";
  }
  [[nodiscard]] std::string path(std::string_view collection, std::string_view item) const {
    return collection_path(collection) + std::string(item);
  }
  /// A whole request; `headers` are lines, each with its end.
  [[nodiscard]] std::string request(std::string_view method, std::string_view path,
                                    std::string_view body = "", std::string_view headers = "") const;
};

/// User and password that every server is given.
struct BenchLogin {
  static constexpr std::string_view user = "bench", password = "a-password-for-the-bench";
};

/// One that we started: ended by its own pid when this goes, then its files are removed.
struct RunningServer {
  ServerUnderTest server;
  std::unique_ptr<TemporaryDirectory> home;
  std::unique_ptr<ChildProcess> process;

  RunningServer() = default;
  ~RunningServer() { end(); }
  /// Ends the process; the files stay until this goes.
  void end();
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
};

/// The first of these programs that is there and may be run; empty: none. Looked for in PATH and in the
/// directories of services.
std::string find_program(std::string_view name);
/// First line of what `program arguments...` says (either stream) within a few seconds; empty if it says
/// nothing.
std::string said_by(const std::vector<std::string>& argv, const std::filesystem::path& directory);
/// The end of what a program wrote, in one line.
std::string last_words(const std::filesystem::path& output);
/// Waits until it answers; with its last words from `output` if it ends first.
Result<void> wait_until_listening(RunningServer& server, const std::filesystem::path& output);

}  // namespace pollux
