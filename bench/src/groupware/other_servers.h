// The servers that `bench groupware` measures beside ours: each started in a directory of its own on a free
// loopback port, with the same items, as its makers set it up.
#pragma once

#include "groupware/server_under_test.h"

namespace pollux {

struct OtherServerOptions {
  std::string program;           ///< its path
  std::filesystem::path parent;  ///< a directory is made here: choose the disk
  std::uint64_t events = 0;
};

/// Serves files only. nginx.org
Result<std::unique_ptr<RunningServer>> start_nginx(const OtherServerOptions& options);

/// CalDAV in Python, a file an item. radicale.org
Result<std::unique_ptr<RunningServer>> start_radicale(const OtherServerOptions& options);
/// CalDAV in Python, a git repository a collection. www.xandikos.org
Result<std::unique_ptr<RunningServer>> start_xandikos(const OtherServerOptions& options);

/// Writes a whole file.
Result<void> write_file(const std::filesystem::path& file, const std::string& text);
/// One directory below `directory` for each collection that cells use, with its items as files.
Result<void> write_items(const std::filesystem::path& directory, std::uint64_t events);
/// Starts it, and waits until it listens.
Result<void> start_process(RunningServer& running, const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment = {});

/// What can be measured against: name, program, Debian package.
struct OtherServer {
  std::string_view name, program, package;
  bool dav = true;  ///< false: serves files only
  Result<std::unique_ptr<RunningServer>> (*start)(const OtherServerOptions& options);
};
const std::vector<OtherServer>& other_servers();

}  // namespace pollux
