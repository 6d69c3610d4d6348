// A host that is made up: a directory with the files in which a kernel would tell of it.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "host/host_files.h"
#include "pollux/bench/child_process.h"

namespace pollux::testing {

class MadeUpHost {
 public:
  MadeUpHost& file(const std::string& path, const std::string& text) {
    std::ofstream(place(path), std::ios::binary) << text;
    return *this;
  }
  MadeUpHost& link(const std::string& path, const std::string& to) {
    std::filesystem::create_symlink(to, place(path));
    return *this;
  }
  MadeUpHost& directory(const std::string& path) {
    std::filesystem::create_directories(home_->path() / path.substr(1));
    return *this;
  }
  [[nodiscard]] HostFiles files() const { return HostFiles(home_->path()); }

 private:
  [[nodiscard]] std::filesystem::path place(const std::string& path) const {
    const auto at = home_->path() / path.substr(1);
    std::filesystem::create_directories(at.parent_path());
    return at;
  }
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(std::filesystem::temp_directory_path(), "pollux-host-"));
};

}  // namespace pollux::testing
