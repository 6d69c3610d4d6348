// From a path to the disk it is on: what counts its flushes, and says whether its cache forgets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/host_files.h"

namespace pollux {

struct DiskPath {
  std::string device;              ///< name in /sys/block; empty: none, or not to be found
  std::vector<std::string> stack;  ///< from what is mounted down to it: "dm-0", "vda2", "vda"
};
/// `number`: "254:0", as in /sys/dev/block and in st_dev.
DiskPath disk_of_number(const HostFiles& files, const std::string& number);

struct Mount {
  std::string number;  ///< "254:0"; of a file system without a device of its own "0:23"
  std::string at, type, source, options;
};
/// The mount that holds `path` (absolute, without symbolic links), of a text like /proc/self/mountinfo.
Mount mount_of(const std::string& mountinfo, const std::string& path);

/// Through overlays and file systems with many devices as well, as far as this is visible here.
DiskPath disk_of(const HostFiles& files, const std::string& path);

}  // namespace pollux
