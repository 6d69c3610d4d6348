#include "host/disk_device.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <sstream>

#include "host/host.h"

namespace pollux {

namespace {

constexpr int depth_max = 8;  // of device mappers on device mappers, and of overlays on overlays

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string above(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string number_text(dev_t number) {
  return std::to_string(major(number)) + ":" + std::to_string(minor(number));
}

// The kernel writes a space as \040.
std::string unescaped(const std::string& word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool escape = word[i] == '\\' && i + 3 < word.size() &&
                        word.substr(i + 1, 3).find_first_not_of("01234567") == std::string::npos;
    if (!escape) {
      text += word[i];
      continue;
    }
    text += static_cast<char>((word[i + 1] - '0') * 64 + (word[i + 2] - '0') * 8 + (word[i + 3] - '0'));
    i += 3;
  }
  return text;
}

std::string option_of(const std::string& options, const std::string& name) {
  std::istringstream parts(options);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part.starts_with(name + "=")) return part.substr(name.size() + 1);
  }
  return "";
}

DiskPath disk_of(const HostFiles& files, const std::string& path, int depth) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path, error).string();
  struct stat about{};
  if (error || stat(real.c_str(), &about) != 0) return {};
  if (major(about.st_dev) != 0) return disk_of_number(files, number_text(about.st_dev));
  // A number without a device: ask the mount what is below it.
  const auto mount = mount_of(files.text("/proc/self/mountinfo"), real);
  if (mount.type == "overlay" && depth < depth_max) {
    const auto upper = option_of(mount.options, "upperdir");
    return upper.empty() ? DiskPath{} : disk_of(files, upper, depth + 1);
  }
  if (!mount.source.starts_with("/dev/") || stat(mount.source.c_str(), &about) != 0 ||
      !S_ISBLK(about.st_mode)) {
    return {};
  }
  return disk_of_number(files, number_text(about.st_rdev));
}

}  // namespace

DiskPath disk_of_number(const HostFiles& files, const std::string& number) {
  DiskPath found;
  auto at = files.resolved("/sys/dev/block/" + number);
  for (int depth = 0; !at.empty() && depth < depth_max; ++depth) {
    found.stack.push_back(last_part(at));
    if (files.exists(at + "/partition")) {
      at = above(at);
      found.stack.push_back(last_part(at));
    }
    found.device = last_part(at);
    // Several disks below (RAID) are no one disk: then this one's counters are what there is.
    const auto below = files.names(at + "/slaves");
    if (below.size() != 1) break;
    at = files.resolved(at + "/slaves/" + below.front());
  }
  return found;
}

Mount mount_of(const std::string& mountinfo, const std::string& path) {
  Mount best;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const auto left = words_of(line.substr(0, dash)), right = words_of(line.substr(dash + 3));
    if (left.size() < 6 || right.size() < 2) continue;
    const auto at = unescaped(left[4]);
    const bool holds = at == "/" || path == at || path.starts_with(at + "/");
    // A later mount on the same place hides an earlier one.
    if (!holds || at.size() < best.at.size()) continue;
    best = {.number = left[2],
            .at = at,
            .type = right[0],
            .source = unescaped(right[1]),
            .options = left[5] + (right.size() > 2 ? "," + right[2] : "")};
  }
  return best;
}

DiskPath disk_of(const HostFiles& files, const std::string& path) { return disk_of(files, path, 0); }

std::string disk_device_of(const std::string& path) { return disk_of(HostFiles(), path).device; }

}  // namespace pollux
