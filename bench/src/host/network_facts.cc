#include "host/facts.h"
#include "host/nic_offloads.h"

namespace pollux {

namespace {

constexpr std::size_t interfaces_max = 16;  // a host with containers has hundreds that are no hardware

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string speed_of(const HostFiles& files, const std::string& at) {
  const auto mbit = files.number(at + "speed");  // -1, or an error, if the driver does not know
  return mbit ? std::to_string(*mbit) + " Mbit/s" : "";
}

std::string queues_of(const HostFiles& files, const std::string& at) {
  std::size_t receive = 0, send = 0;
  for (const auto& name : files.names(at + "queues")) (name.starts_with("rx") ? receive : send) += 1;
  return receive + send == 0 ? "" : std::to_string(receive) + " receive, " + std::to_string(send) + " send";
}

void add_interface(const HostFiles& files, const std::string& name, FactList& facts) {
  const std::string at = "/sys/class/net/" + name + "/", fact = "nic." + name;
  const auto driver = last_part(files.link(at + "device/driver"));
  facts.add(fact + ".driver", driver.empty() ? (name == "lo" ? "loopback" : "none: no hardware") : driver);
  facts.add(fact + ".state", files.line(at + "operstate"));
  facts.add(fact + ".speed", speed_of(files, at));
  facts.add(fact + ".mtu", files.line(at + "mtu"));
  facts.add(fact + ".queues", queues_of(files, at));
  facts.add(fact + ".offloads", read_nic_offloads(name), "ethtool ioctl");
  facts.add(fact + ".address", files.line(at + "address"), "", FactKind::identity);
}

}  // namespace

void add_network_facts(const HostFiles& files, FactList& facts) {
  std::string names, left_out;
  std::size_t told = 0;
  for (const auto& name : files.names("/sys/class/net")) {
    // Files such as bonding_masters are no interfaces; one without hardware says nothing unless it is
    // loopback.
    if (!files.exists("/sys/class/net/" + name + "/mtu")) continue;
    const bool matters = name == "lo" || files.exists("/sys/class/net/" + name + "/device");
    if (!matters || told == interfaces_max) {
      left_out += (left_out.empty() ? "" : ", ") + name;
      continue;
    }
    ++told;
    names += (names.empty() ? "" : ", ") + name;
    add_interface(files, name, facts);
  }
  facts.add("nic.names", names,
            left_out.empty() ? "" : "not told, being no hardware or too many: " + left_out,
            FactKind::harmless);
  const auto setting = [&](const char* name, const std::string& file) {
    std::string value;
    for (const auto& word : words_of(files.line("/proc/sys/net/" + file)))
      value += (value.empty() ? "" : " ") + word;
    facts.add(name, value, "/proc/sys/net/" + file);
  };
  setting("net.busy_poll", "core/busy_poll");
  setting("net.busy_read", "core/busy_read");
  setting("net.rmem_max", "core/rmem_max");
  setting("net.wmem_max", "core/wmem_max");
  setting("net.tcp_rmem", "ipv4/tcp_rmem");
  setting("net.tcp_wmem", "ipv4/tcp_wmem");
  setting("net.congestion_control", "ipv4/tcp_congestion_control");
  setting("net.queueing", "core/default_qdisc");
}

}  // namespace pollux
