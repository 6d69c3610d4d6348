#include "host/virtual_machine.h"

#include <utility>

namespace pollux {

namespace {

using Pattern = std::pair<std::string_view, std::string_view>;

constexpr Pattern signatures[] = {
    {"KVMKVMKVM", "kvm"},          {"Linux KVM Hv", "kvm"},   {"VMwareVMware", "vmware"},
    {"Microsoft Hv", "hyper-v"},   {"XenVMMXenVMM", "xen"},   {"VBoxVBoxVBox", "virtualbox"},
    {"TCGTCGTCGTCG", "qemu"},      {"bhyve bhyve ", "bhyve"}, {" lrpepyh  vr", "parallels"},
    {"prl hyperv  ", "parallels"}, {"ACRNACRNACRN", "acrn"}};

// Words in what firmware says of itself. First match counts.
constexpr Pattern firmware[] = {{"VMware", "vmware"},
                                {"VirtualBox", "virtualbox"},
                                {"innotek", "virtualbox"},
                                {"Parallels", "parallels"},
                                {"Apple Virtualization", "apple"},
                                {"Xen", "xen"},
                                {"BHYVE", "bhyve"},
                                {"QEMU", "qemu"},
                                {"Bochs", "qemu"},
                                {"KVM", "kvm"},
                                {"OpenStack", "kvm"},
                                {"Google Compute Engine", "kvm"},
                                {"Alibaba Cloud", "kvm"},
                                {"DigitalOcean", "kvm"},
                                {"vServer", "kvm"},
                                {"Virtual Machine", "vm"},
                                {"Amazon EC2", "kvm"}};

std::string_view named_in(std::string_view text, const Pattern* begin, const Pattern* end) {
  for (const auto* pattern = begin; pattern != end; ++pattern) {
    if (text.find(pattern->first) != std::string_view::npos) return pattern->second;
  }
  return "";
}

void say(std::string& evidence, const std::string& more) {
  evidence += (evidence.empty() ? "" : "; ") + more;
}

struct Firmware {
  std::string text, kind;
  bool metal = false;  // it says itself that it is none
};
Firmware read_firmware(const HostFiles& files) {
  Firmware found;
  for (const auto* name : {"sys_vendor", "product_name", "board_vendor", "bios_vendor"}) {
    const auto line = files.line(std::string("/sys/class/dmi/id/") + name);
    if (!line.empty()) found.text += (found.text.empty() ? "" : ", ") + line;
  }
  // A cloud's bare metal has the vendor of its VMs: "Amazon EC2", "c5.metal".
  found.metal = files.line("/sys/class/dmi/id/product_name").find(".metal") != std::string::npos;
  if (!found.metal) found.kind = named_in(found.text, std::begin(firmware), std::end(firmware));
  if (found.kind == "vm" && found.text.find("Microsoft") != std::string::npos) found.kind = "hyper-v";
  return found;
}

// Of a device tree: "linux,kvm" in hypervisor/compatible, or the board that only QEMU has.
std::string device_tree_kind(const HostFiles& files, std::string& evidence) {
  for (const auto* root : {"/proc/device-tree", "/sys/firmware/devicetree/base"}) {
    const auto hypervisor = trimmed(files.text(std::string(root) + "/hypervisor/compatible"));
    if (!hypervisor.empty()) {
      say(evidence, "device tree hypervisor " + hypervisor);
      return hypervisor.find("xen") != std::string::npos   ? "xen"
             : hypervisor.find("kvm") != std::string::npos ? "kvm"
                                                           : "vm";
    }
    if (files.text(std::string(root) + "/compatible").find("linux,dummy-virt") != std::string::npos) {
      say(evidence, "device tree of QEMU's board (linux,dummy-virt)");
      return "qemu";
    }
  }
  return "";
}

// /sys/hypervisor is Xen's; its dom0 has the hardware for itself, though a hypervisor is below it.
std::string xen_kind(const HostFiles& files, std::string& evidence) {
  const auto type = files.line("/sys/hypervisor/type");
  if (type.empty()) return "";
  const bool control = files.text("/proc/xen/capabilities").find("control_d") != std::string::npos;
  say(evidence, "/sys/hypervisor/type " + type + (control ? ", the control domain" : ""));
  return type;
}

}  // namespace

FoundOut find_virtual_machine(const HostFiles& files, const CpuidHypervisor& cpuid) {
  FoundOut found;
  std::string by_cpuid;
  if (cpuid.known) {
    by_cpuid = cpuid.present ? named_in(cpuid.signature, std::begin(signatures), std::end(signatures)) : "";
    if (cpuid.present && by_cpuid.empty()) by_cpuid = "vm";
    say(found.evidence, cpuid.present
                            ? "CPUID hypervisor bit is set, signature \"" + trimmed(cpuid.signature) + "\""
                            : "CPUID hypervisor bit is clear");
  }
  const auto dmi = read_firmware(files);
  say(found.evidence, dmi.text.empty() ? "no DMI" : "DMI " + dmi.text);
  const auto by_xen = xen_kind(files, found.evidence);
  const auto by_tree = device_tree_kind(files, found.evidence);
  const auto release = files.line("/proc/sys/kernel/osrelease");
  const bool wsl = release.find("microsoft") != std::string::npos || release.find("WSL") != std::string::npos;
  if (wsl) say(found.evidence, "kernel release " + release + " is WSL's");

  // The CPU's word is the best there is; firmware says more about whose it is than a bare "vm".
  for (const auto& kind : {by_cpuid, by_xen, by_tree, dmi.kind, std::string(wsl ? "hyper-v" : "")}) {
    if (kind.empty() || (kind == "vm" && !found.value.empty())) continue;
    if (found.value.empty() || found.value == "vm") found.value = kind;
  }
  if (cpuid.known && !cpuid.present && !found.value.empty()) {
    say(found.evidence, "these contradict each other");
  }
  if (!found.value.empty()) return found;
  // Without CPUID, firmware that names a maker of hardware speaks for bare metal; no firmware at all for
  // nothing.
  found.value = cpuid.known || dmi.metal || !dmi.text.empty() ? "none" : "unknown";
  return found;
}

}  // namespace pollux
