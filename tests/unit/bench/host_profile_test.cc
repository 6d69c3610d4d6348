#include <gmock/gmock.h>

#include <set>

#include "host/cgroup_limits.h"
#include "host/declaration.h"
#include "host/disk_device.h"
#include "host/facts.h"
#include "made_up_host.h"
#include "run/redact.h"
#include "run/sections.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

std::string value(const FactList& facts, std::string_view name) { return fact_value(facts.facts(), name); }

TEST(HostFiles, SortsCpusAsPeopleDoAndStaysInsideItsRoot) {
  MadeUpHost host;
  for (const auto* cpu : {"cpu10", "cpu2", "cpu1"})
    host.directory(std::string("/sys/devices/system/cpu/") + cpu);
  EXPECT_THAT(host.files().names("/sys/devices/system/cpu"), ::testing::ElementsAre("cpu1", "cpu2", "cpu10"));
  EXPECT_EQ(host.files().text("/etc/passwd"), "");
  EXPECT_TRUE(host.files().names("/nowhere").empty());
}

TEST(HostFiles, CountsListsOfTheKernel) {
  EXPECT_EQ(count_of_list("0-3,8"), 5u);
  EXPECT_EQ(count_of_list("7"), 1u);
  EXPECT_EQ(count_of_list(""), 0u);
  EXPECT_EQ(count_of_list("3-1"), 0u);
  EXPECT_EQ(count_of_list("x"), 0u);
}

TEST(HostProfile, TellsTheCpuOfAServerWithSmtAndTwoSockets) {
  MadeUpHost host;
  host.file("/proc/cpuinfo",
            "model name\t: AMD EPYC 7763\ncpu MHz\t\t: 2445.404\nflags\t\t: fpu constant_tsc avx2 aes sse\n");
  const std::string cpus = "/sys/devices/system/cpu/";
  for (int cpu = 0; cpu < 8; ++cpu) {
    const auto at = cpus + "cpu" + std::to_string(cpu);
    const int core = cpu % 4;
    host.file(at + "/topology/thread_siblings_list",
              std::to_string(core) + "," + std::to_string(core + 4) + "\n")
        .file(at + "/topology/physical_package_id", std::to_string(core / 2) + "\n")
        .file(at + "/cpufreq/scaling_governor", cpu == 7 ? "powersave\n" : "performance\n");
  }
  host.file(cpus + "cpu0/cache/index0/level", "1\n")
      .file(cpus + "cpu0/cache/index0/type", "Data\n")
      .file(cpus + "cpu0/cache/index0/size", "32K\n")
      .file(cpus + "cpu0/cache/index3/level", "3\n")
      .file(cpus + "cpu0/cache/index3/type", "Unified\n")
      .file(cpus + "cpu0/cache/index3/size", "32768K\n")
      .file(cpus + "cpu0/cache/index3/shared_cpu_list", "0-3\n")
      .file(cpus + "cpufreq/boost", "1\n")
      .file(cpus + "online", "0-7\n")
      .file(cpus + "vulnerabilities/meltdown", "Not affected\n")
      .file(cpus + "vulnerabilities/retbleed", "Mitigation: untrained return thunk\n")
      .directory("/sys/devices/system/node/node0")
      .directory("/sys/devices/system/node/node1");
  FactList facts;
  add_cpu_facts(host.files(), {0, 1, 2, 6}, facts);
  EXPECT_EQ(value(facts, "cpu.model"), "AMD EPYC 7763");
  EXPECT_EQ(value(facts, "cpu.usable"), "4");
  EXPECT_EQ(value(facts, "cpu.online"), "8");
  EXPECT_EQ(value(facts, "cpu.cores"), "4");
  EXPECT_EQ(value(facts, "cpu.sockets"), "2");
  EXPECT_EQ(value(facts, "cpu.smt"), "2 threads a core");
  EXPECT_EQ(value(facts, "numa.nodes"), "2");
  EXPECT_EQ(value(facts, "cache.l1d"), "32K");
  EXPECT_EQ(value(facts, "cache.l3"), "32768K");
  EXPECT_EQ(value(facts, "cache.l2"), "unknown");
  EXPECT_EQ(value(facts, "cpu.governor"), "performance, powersave") << "one CPU that differs must not hide";
  EXPECT_EQ(value(facts, "cpu.turbo"), "on");
  EXPECT_EQ(value(facts, "cpu.frequency"), "2445 MHz");
  EXPECT_EQ(value(facts, "cpu.mitigations"), "retbleed: Mitigation: untrained return thunk");
  EXPECT_EQ(value(facts, "cpu.flags"), "constant_tsc avx2 aes");
}

TEST(HostProfile, SaysUnknownWhereAHostTellsNothing) {
  MadeUpHost empty;
  FactList facts;
  add_cpu_facts(empty.files(), {}, facts);
  add_cgroup_facts(empty.files(), facts);
  add_memory_facts(empty.files(), facts);
  add_network_facts(empty.files(), facts);
  for (const auto* name :
       {"cpu.model", "cpu.usable", "cpu.governor", "cpu.turbo", "numa.nodes", "cgroup.version",
        "cgroup.memory_max", "memory.total", "memory.swap", "net.tcp_rmem", "cpu.mitigations"}) {
    EXPECT_EQ(value(facts, name), "unknown") << name;
  }
}

TEST(CgroupLimits, OfVersionTwoAreTheSmallestOnTheWayUp) {
  MadeUpHost host;
  host.file("/proc/self/cgroup", "0::/a.slice/b.service\n")
      .file("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n")
      .file("/sys/fs/cgroup/a.slice/cpu.max", "150000 100000\n")
      .file("/sys/fs/cgroup/a.slice/memory.max", "1073741824\n")
      .file("/sys/fs/cgroup/a.slice/b.service/cpu.max", "max 100000\n")
      .file("/sys/fs/cgroup/a.slice/b.service/memory.max", "2147483648\n");
  const auto limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.version, "v2");
  EXPECT_EQ(limits.path, "/a.slice/b.service");
  EXPECT_EQ(limits.cpu_quota_ppm, 1'500'000u);
  EXPECT_EQ(limits.memory_max_bytes, 1u << 30);
}

TEST(CgroupLimits, OfVersionOneWithItsLargeNumberMeaningNone) {
  MadeUpHost host;
  host.file("/proc/self/cgroup", "4:memory:/x\n2:cpu,cpuacct:/y\n")
      .file("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/y/cpu.cfs_quota_us", "5000\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/y/cpu.cfs_period_us", "100000\n");
  const auto limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.version, "v1");
  EXPECT_EQ(limits.cpu_quota_ppm, 50'000u);
  EXPECT_FALSE(limits.memory_max_bytes);
}

TEST(CgroupLimits, OfAHybridHostInAContainerThatSeesOnlyItsOwnGroup) {
  MadeUpHost host;
  host.file("/proc/self/cgroup", "4:memory:/docker/abc\n3:cpu:/docker/abc\n0::/docker/abc\n")
      .file("/sys/fs/cgroup/unified/cgroup.controllers", "")
      .file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864\n")
      .file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
      .file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  const auto limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.version, "hybrid");
  EXPECT_EQ(limits.memory_max_bytes, 64u << 20);
  EXPECT_FALSE(limits.cpu_quota_ppm);
}

TEST(DiskDevice, IsFoundThroughAPartitionAndADeviceMapper) {
  MadeUpHost host;
  host.file("/sys/devices/pci/nvme0n1/nvme0n1p2/partition", "2\n")
      .link("/sys/dev/block/259:2", "../../devices/pci/nvme0n1/nvme0n1p2")
      .directory("/sys/devices/virtual/block/dm-0/slaves")
      .link("/sys/devices/virtual/block/dm-0/slaves/nvme0n1p2", "../../../../pci/nvme0n1/nvme0n1p2")
      .link("/sys/dev/block/253:0", "../../devices/virtual/block/dm-0");
  EXPECT_EQ(disk_of_number(host.files(), "259:2").device, "nvme0n1");
  const auto mapped = disk_of_number(host.files(), "253:0");
  EXPECT_EQ(mapped.device, "nvme0n1");
  EXPECT_THAT(mapped.stack, ::testing::ElementsAre("dm-0", "nvme0n1p2", "nvme0n1"));
  EXPECT_EQ(disk_of_number(host.files(), "8:0").device, "");
}

TEST(DiskDevice, OfARaidIsTheRaid) {
  MadeUpHost host;
  host.directory("/sys/devices/virtual/block/md0/slaves/sda")
      .directory("/sys/devices/virtual/block/md0/slaves/sdb");
  host.link("/sys/dev/block/9:0", "../../devices/virtual/block/md0");
  EXPECT_EQ(disk_of_number(host.files(), "9:0").device, "md0");
}

TEST(DiskDevice, TheMountIsTheLastAndDeepestOneThatHoldsThePath) {
  const std::string mounts =
      "1 0 254:0 / / rw - ext4 /dev/vda rw\n"
      "2 1 0:20 / /srv rw - tmpfs tmpfs rw\n"
      "3 1 8:1 / /srv rw,noatime shared:1 - xfs /dev/sda1 rw,quota\n"
      "4 1 8:2 / /srv/with\\040space rw - ext4 /dev/sda2 rw\n";
  EXPECT_EQ(mount_of(mounts, "/srv/data").source, "/dev/sda1");
  EXPECT_EQ(mount_of(mounts, "/srv/data").options, "rw,noatime,rw,quota");
  EXPECT_EQ(mount_of(mounts, "/srvother").type, "ext4");
  EXPECT_EQ(mount_of(mounts, "/srv/with space/x").number, "8:2");
}

TEST(Declaration, IsContradictedOnlyByWhatWasFound) {
  const FoundOut none{"none", ""}, unknown{"unknown", ""}, kvm{"kvm", ""}, docker{"docker", ""};
  EXPECT_THAT(check_declaration("metal", kvm, none), HasSubstr("contradicts what was found: vm kvm"));
  EXPECT_THAT(check_declaration("metal", none, docker),
              HasSubstr("contradicts what was found: container docker"));
  EXPECT_THAT(check_declaration("vm", none, none), HasSubstr("contradicts"));
  EXPECT_THAT(check_declaration("container", kvm, none), HasSubstr("contradicts"));
  EXPECT_THAT(check_declaration("metal", unknown, none), HasSubstr("agrees"));
  EXPECT_THAT(check_declaration("vm", unknown, none), HasSubstr("agrees"));
  EXPECT_THAT(check_declaration("container", none, docker), HasSubstr("agrees"));
}

TEST(HostProfile, OfThisHostHasEachFactOnceAndFillsInTheHeading) {
  const auto host = profile_host({.directory = "/tmp", .declared = "metal"});
  std::set<std::string> names;
  for (const auto& fact : host.facts) {
    EXPECT_TRUE(names.insert(fact.name).second) << fact.name << " is there twice";
    EXPECT_FALSE(fact.value.empty()) << fact.name;
  }
  for (const auto* name :
       {"vm", "container", "cpu.model", "cpu.usable", "kernel", "declared", "clock.source", "disk.device",
        "disk.write_cache", "nic.lo.offloads", "memory.total", "host.name"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_GT(host.cpus, 0u);
  EXPECT_GT(host.memory_bytes, 0u);
  EXPECT_FALSE(host.kernel.empty());
}

TEST(HostProfile, RedactedTellsNoNameOfThisHost) {
  BenchResult result;
  result.host = profile_host({.directory = "/tmp"});
  const auto name = result.host.name;
  ASSERT_FALSE(name.empty());
  redact(result);
  for (const auto& fact : result.host.facts) {
    if (fact.kind != FactKind::identity) continue;
    EXPECT_EQ(fact.value, "(redacted)") << fact.name;
  }
  EXPECT_EQ(fact_value(result.host.facts, "host.name"), "(redacted)");
}

TEST(HostProfile, IsTheTableOfAResultWithoutCells) {
  BenchResult result;
  result.host.facts = {{"vm", "kvm", "CPUID says so", FactKind::matters}};
  const auto sections = sections_of(result);
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_THAT(sections[0].rows, ::testing::ElementsAre(::testing::ElementsAre("vm", "kvm (CPUID says so)")));
}

}  // namespace
}  // namespace pollux::testing
