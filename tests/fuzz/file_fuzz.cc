// The libFuzzer entries of what is read from files: FILE_TARGET is try_archive or try_config.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "pollux/audit/archive.h"
#include "pollux/core/check.h"
#include "pollux/services/config.h"

namespace pollux::testing {
namespace {

namespace fs = std::filesystem;

/// A directory in memory, if there is one: a fuzzer writes thousands of files a second.
const fs::path& scratch() {
  static const fs::path directory = [] {
    std::string name = (fs::path(fs::exists("/dev/shm") ? "/dev/shm" : "/tmp") / "pollux-fuzz-XXXXXX").string();
    POLLUX_CHECK(::mkdtemp(name.data()) != nullptr);
    std::atexit([] { fs::remove_all(scratch()); });
    return fs::path(name);
  }();
  return directory;
}

[[maybe_unused]] void try_archive(const fs::path& file) {
  const auto report = verify_archive(file);
  const auto content = read_archive(file);
  if (!content) {
    POLLUX_CHECK(!content.error().text.empty());
    return;
  }
  POLLUX_CHECK(report.has_value() && report->faults.empty());
  POLLUX_CHECK(report->records == content->records.size());
}

[[maybe_unused]] void try_config(const fs::path& file) {
  const auto config = load_config(file);
  if (!config) POLLUX_CHECK(!config.error().text.empty());
}

}  // namespace
}  // namespace pollux::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = pollux::testing::scratch() / "input";
  std::ofstream(file, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  pollux::testing::FILE_TARGET(file);
  return 0;
}
