#include "host/virtual_machine.h"

#include <gmock/gmock.h>

#include "made_up_host.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

constexpr bool known = true;
CpuidHypervisor bare() { return {.known = known, .present = false, .signature = ""}; }
CpuidHypervisor below(const std::string& signature) {
  return {.known = known, .present = true, .signature = signature};
}

TEST(VirtualMachine, BareMetalIsNoneWithTheMakerAsEvidence) {
  MadeUpHost host;
  host.file("/sys/class/dmi/id/sys_vendor", "Dell Inc.\n")
      .file("/sys/class/dmi/id/product_name", "PowerEdge R640\n");
  const auto found = find_virtual_machine(host.files(), bare());
  EXPECT_EQ(found.value, "none");
  EXPECT_THAT(found.evidence, HasSubstr("CPUID hypervisor bit is clear"));
  EXPECT_THAT(found.evidence, HasSubstr("Dell Inc., PowerEdge R640"));
}

TEST(VirtualMachine, KvmWithoutAnyFirmwareIsToldByTheCpu) {
  const auto found = find_virtual_machine(MadeUpHost().files(), below("KVMKVMKVM"));
  EXPECT_EQ(found.value, "kvm");
  EXPECT_THAT(found.evidence, HasSubstr("signature \"KVMKVMKVM\""));
  EXPECT_THAT(found.evidence, HasSubstr("no DMI"));
}

TEST(VirtualMachine, VmwareAndHyperVAndXenAreToldApart) {
  MadeUpHost vmware;
  vmware.file("/sys/class/dmi/id/sys_vendor", "VMware, Inc.\n");
  EXPECT_EQ(find_virtual_machine(vmware.files(), below("VMwareVMware")).value, "vmware");
  MadeUpHost hyper_v;
  hyper_v.file("/sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n")
      .file("/sys/class/dmi/id/product_name", "Virtual Machine\n");
  EXPECT_EQ(find_virtual_machine(hyper_v.files(), {}).value, "hyper-v") << "by DMI alone";
  EXPECT_EQ(find_virtual_machine(hyper_v.files(), below("Microsoft Hv")).value, "hyper-v");
  MadeUpHost xen;
  xen.file("/sys/hypervisor/type", "xen\n");
  EXPECT_EQ(find_virtual_machine(xen.files(), {}).value, "xen");
}

TEST(VirtualMachine, AnUnknownSignatureIsAVmUnlessFirmwareKnowsMore) {
  EXPECT_EQ(find_virtual_machine(MadeUpHost().files(), below("WhatIsThis??")).value, "vm");
  MadeUpHost parallels;
  parallels.file("/sys/class/dmi/id/sys_vendor", "Parallels International\n");
  EXPECT_EQ(find_virtual_machine(parallels.files(), below("WhatIsThis??")).value, "parallels");
}

TEST(VirtualMachine, TheBareMetalOfACloudIsNotTakenForItsVms) {
  MadeUpHost metal, guest;
  metal.file("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n")
      .file("/sys/class/dmi/id/product_name", "a1.metal\n");
  guest.file("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n")
      .file("/sys/class/dmi/id/product_name", "a1.large\n");
  EXPECT_EQ(find_virtual_machine(metal.files(), {}).value, "none");
  EXPECT_EQ(find_virtual_machine(guest.files(), {}).value, "kvm");
}

TEST(VirtualMachine, AnArmGuestIsToldByItsDeviceTree) {
  MadeUpHost host;
  host.file("/proc/device-tree/hypervisor/compatible", std::string("linux,kvm\0", 10));
  const auto found = find_virtual_machine(host.files(), {});
  EXPECT_EQ(found.value, "kvm");
  EXPECT_THAT(found.evidence, HasSubstr("device tree hypervisor linux,kvm"));
  MadeUpHost board;
  board.file("/proc/device-tree/compatible", std::string("linux,dummy-virt\0", 17));
  EXPECT_EQ(find_virtual_machine(board.files(), {}).value, "qemu");
}

TEST(VirtualMachine, WhereNothingTellsItIsUnknownAndNotBareMetal) {
  EXPECT_EQ(find_virtual_machine(MadeUpHost().files(), {}).value, "unknown");
}

TEST(VirtualMachine, ACpuThatDeniesWhatFirmwareSaysIsPointedOut) {
  MadeUpHost host;
  host.file("/sys/class/dmi/id/sys_vendor", "QEMU\n");
  const auto found = find_virtual_machine(host.files(), bare());
  EXPECT_EQ(found.value, "qemu");
  EXPECT_THAT(found.evidence, HasSubstr("contradict"));
}

}  // namespace
}  // namespace pollux::testing
