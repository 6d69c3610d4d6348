#include "host/disk_device.h"
#include "host/facts.h"

namespace pollux {

namespace {

// "none [mq-deadline] kyber": the one in brackets; a line without any is its own.
std::string chosen_of(const std::string& line) {
  const auto open = line.find('['), close = line.find(']');
  return open == std::string::npos || close == std::string::npos ? line
                                                                 : line.substr(open + 1, close - open - 1);
}

std::string kind_of(const HostFiles& files, const std::string& device, const std::string& at) {
  if (device.empty()) return "";
  for (const auto& [prefix, kind] :
       {std::pair("nvme", "nvme"), std::pair("vd", "virtio"), std::pair("xvd", "xen"),
        std::pair("mmcblk", "mmc"), std::pair("loop", "loop"), std::pair("dm-", "device mapper"),
        std::pair("md", "raid"), std::pair("zram", "zram"), std::pair("nbd", "network block device"),
        std::pair("rbd", "ceph")}) {
    if (device.starts_with(prefix)) return kind;
  }
  const auto driver = files.link(at + "device/driver");
  return device.starts_with("sd") ? "scsi" : driver.substr(driver.rfind('/') + 1);
}

std::string size_of(const HostFiles& files, const std::string& at) {
  constexpr std::uint64_t sector = 512;  // whatever the disk's own is
  constexpr std::uint64_t gigabyte = 1'000'000'000;
  const auto sectors = files.number(at + "size");
  return sectors ? std::to_string(*sectors * sector / gigabyte) + " GB" : "";
}

}  // namespace

void add_disk_facts(const HostFiles& files, const std::string& directory, FactList& facts) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(directory, error).string();
  const auto mount = error ? Mount{} : mount_of(files.text("/proc/self/mountinfo"), real);
  facts.add("disk.file_system", mount.type, mount.at.empty() ? "" : "mounted at " + mount.at);
  facts.add("disk.mount_options", mount.options);
  const auto disk = disk_of(files, directory);
  std::string stack;
  for (const auto& one : disk.stack) stack += (stack.empty() ? "" : " on ") + one;
  facts.add("disk.device", disk.device, stack);
  const auto at = "/sys/block/" + disk.device + "/";
  const auto told = [&](const std::string& path) { return disk.device.empty() ? "" : files.line(at + path); };
  facts.add("disk.kind", kind_of(files, disk.device, at));
  facts.add("disk.model", told("device/model"));
  facts.add("disk.size", disk.device.empty() ? "" : size_of(files, at));
  facts.add("disk.scheduler", chosen_of(told("queue/scheduler")));
  facts.add("disk.write_cache", told("queue/write_cache"),
            "what the kernel believes: write back needs flushes");
  facts.add("disk.forced_unit_access", told("queue/fua"));
  const auto rotational = told("queue/rotational");
  facts.add("disk.rotational",
            rotational == "1"   ? "yes"
            : rotational == "0" ? "no"
                                : "",
            "what the disk says; a virtual one says what it was told to");
  facts.add("disk.requests", told("queue/nr_requests"));
  facts.add("disk.block_size", told("queue/physical_block_size"));
  if (disk.device.starts_with("loop")) {
    facts.add("disk.backing_file", told("loop/backing_file"), "", FactKind::identity);
  }
  auto serial = told("serial");
  if (serial.empty()) serial = told("device/serial");
  facts.add("disk.serial", serial, "", FactKind::identity);
}

}  // namespace pollux
