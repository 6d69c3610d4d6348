#include "host/cpu_places.h"

#include <gtest/gtest.h>

#include <fstream>

#include "host/pinned.h"
#include "pollux/bench/child_process.h"

namespace pollux {

namespace {

// A made-up /sys of a host with two nodes, two cores a node and two threads a core: CPUs 0-3 are the first
// threads of the cores, 4-7 the second.
class MadeUpSys {
 public:
  MadeUpSys() {
    for (int cpu = 0; cpu < 8; ++cpu) {
      const int core = cpu % 4, node = core / 2;
      const auto of = "devices/system/cpu/cpu" + std::to_string(cpu);
      write(of + "/topology/thread_siblings_list", std::to_string(core) + "," + std::to_string(core + 4));
      write(of + "/cache/index0/level", "1");
      write(of + "/cache/index0/shared_cpu_list", std::to_string(core) + "," + std::to_string(core + 4));
      write(of + "/cache/index3/level", "3");
      write(of + "/cache/index3/shared_cpu_list", node == 0 ? "0-1,4-5" : "2-3,6-7");
    }
    write("devices/system/node/node0/cpulist", "0-1,4-5");
    write("devices/system/node/node1/cpulist", "2-3,6-7");
  }
  [[nodiscard]] const std::filesystem::path& path() const { return home_->path(); }

 private:
  void write(const std::string& name, const std::string& line) {
    std::filesystem::create_directories((path() / name).parent_path());
    std::ofstream(path() / name) << line << "\n";
  }
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(std::filesystem::temp_directory_path(), "places-"));
};

const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7};

struct Expected {
  std::string_view name;
  int client, server;
};

TEST(CpuPlacesTest, FindsCpusByWhatTheyShare) {
  const MadeUpSys sys;
  for (const auto& [name, client, server] : {Expected{"same-core", 0, 0}, Expected{"smt-sibling", 0, 4},
                                             Expected{"same-cache", 0, 1}, Expected{"other-node", 0, 2}}) {
    const auto place = find_cpu_place(name, all, sys.path());
    EXPECT_EQ(place.why_not, "") << name;
    EXPECT_EQ(place.client, client) << name;
    EXPECT_EQ(place.server, server) << name;
  }
}

TEST(CpuPlacesTest, UsesOnlyCpusThatMayBeUsed) {
  const MadeUpSys sys;
  const auto place = find_cpu_place("other-node", {5, 6}, sys.path());
  EXPECT_EQ(place.client, 5);
  EXPECT_EQ(place.server, 6);
}

TEST(CpuPlacesTest, SaysWhyAHostHasNoSuchPlace) {
  const MadeUpSys sys;
  EXPECT_EQ(find_cpu_place("smt-sibling", {0, 1}, sys.path()).why_not,
            "no two of the usable CPUs are threads of one core");
  EXPECT_EQ(find_cpu_place("other-node", {0, 1}, sys.path()).why_not, "all usable CPUs are in one NUMA node");
  EXPECT_EQ(find_cpu_place("other-core", {0, 4}, sys.path()).why_not, "there is only one usable core");
}

TEST(CpuPlacesTest, ReadsListsOfCpus) {
  EXPECT_EQ(parse_cpu_list("0-2,5\n"), (std::vector<int>{0, 1, 2, 5}));
  EXPECT_EQ(parse_cpu_list(""), std::vector<int>{});
  EXPECT_EQ(parse_cpu_list("x,3,4-y"), std::vector<int>{3});
}

TEST(PinnedHereTest, SaysWhenTheKernelDoesNotPin) {
  const auto usable = usable_cpus();
  ASSERT_FALSE(usable.empty());
  {
    const PinnedHere pinned({usable.front()});
    EXPECT_EQ(pinned.problem(), "");
    EXPECT_EQ(usable_cpus(), std::vector<int>{usable.front()});
    // A CPU that is not there, beside one that is: the kernel takes what it can get, and says nothing.
    const PinnedHere partly({usable.front(), CPU_SETSIZE - 1});
    EXPECT_NE(partly.problem(), "");
  }
  EXPECT_EQ(usable_cpus(), usable);
}

}  // namespace

}  // namespace pollux
