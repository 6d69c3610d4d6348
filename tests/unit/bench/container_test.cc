#include "host/container.h"

#include <gmock/gmock.h>

#include "made_up_host.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

constexpr auto overlay_root =
    "600 500 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w\n";
constexpr auto disk_root = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n";
constexpr auto first_namespace = "pid:[4026531836]";
constexpr auto other_namespace = "pid:[4026532301]";

TEST(Container, AHostOfItsOwnIsNoneEvenIfItRunsDocker) {
  MadeUpHost host;
  host.file("/proc/self/mountinfo", disk_root)
      .file("/proc/1/comm", "systemd\n")
      .file("/proc/self/cgroup", "0::/system.slice/docker.service\n")
      .link("/proc/self/ns/pid", first_namespace);
  const auto found = find_container(host.files());
  EXPECT_EQ(found.value, "none");
  EXPECT_THAT(found.evidence, HasSubstr("pid 1 is systemd"));
}

TEST(Container, DockerIsToldByItsMarkerWithANamespaceOfItsOwn) {
  MadeUpHost host;
  host.file("/.dockerenv", "")
      .file("/proc/self/mountinfo", overlay_root)
      .link("/proc/self/ns/pid", other_namespace);
  const auto found = find_container(host.files());
  EXPECT_EQ(found.value, "docker");
  EXPECT_THAT(found.evidence, HasSubstr("/.dockerenv is there"));
  EXPECT_THAT(found.evidence, HasSubstr("the root is overlay"));
}

TEST(Container, AMarkerFileOnADiskOfItsOwnCameWithTheImage) {
  MadeUpHost host;
  host.file("/.dockerenv", "")
      .file("/proc/self/mountinfo", disk_root)
      .link("/proc/self/ns/pid", first_namespace);
  const auto found = find_container(host.files());
  EXPECT_EQ(found.value, "none");
  EXPECT_THAT(found.evidence, HasSubstr("came with the image"));
}

TEST(Container, LxcSaysItselfInTheEnvironmentOfItsFirstProcess) {
  MadeUpHost host;
  host.file("/proc/1/environ", std::string("PATH=/bin\0container=lxc\0", 24))
      .file("/proc/self/mountinfo", disk_root);
  EXPECT_EQ(find_container(host.files()).value, "lxc");
}

TEST(Container, PodmanAndKubernetesAndNspawnAreToldApart) {
  MadeUpHost podman, pod, nspawn;
  podman.file("/run/.containerenv", "").link("/proc/self/ns/pid", other_namespace);
  EXPECT_EQ(find_container(podman.files()).value, "podman");
  pod.file("/proc/self/cgroup", "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-2.scope\n");
  EXPECT_EQ(find_container(pod.files()).value, "kubernetes");
  nspawn.file("/proc/1/environ", "container=systemd-nspawn");
  EXPECT_EQ(find_container(nspawn.files()).value, "systemd-nspawn");
}

TEST(Container, WslIsToldByItsKernel) {
  MadeUpHost host;
  host.file("/proc/sys/kernel/osrelease", "5.15.146.1-microsoft-standard-WSL2\n");
  EXPECT_EQ(find_container(host.files()).value, "wsl");
  EXPECT_EQ(find_virtual_machine(host.files(), {}).value, "hyper-v");
}

TEST(Container, ANamespaceOfItsOwnWithoutAnyMarkIsAContainerOfAnUnknownKind) {
  MadeUpHost host;
  host.link("/proc/self/ns/pid", other_namespace).file("/proc/self/mountinfo", disk_root);
  EXPECT_EQ(find_container(host.files()).value, "container");
}

}  // namespace
}  // namespace pollux::testing
