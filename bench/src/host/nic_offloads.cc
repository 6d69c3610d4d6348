#include "host/nic_offloads.h"

// Before net/if.h: both name the same flags, and only this order is known to both.
#include <net/if.h>
//
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <optional>

namespace pollux {

namespace {

std::optional<std::uint32_t> ask(int socket, const std::string& interface, std::uint32_t command) {
  ethtool_value question{.cmd = command, .data = 0};
  ifreq request{};
  std::memcpy(request.ifr_name, interface.data(), interface.size());
  request.ifr_data = reinterpret_cast<char*>(&question);
  if (ioctl(socket, SIOCETHTOOL, &request) != 0) return std::nullopt;
  return question.data;
}

}  // namespace

std::string read_nic_offloads(const std::string& interface) {
  if (interface.empty() || interface.size() >= IFNAMSIZ) return "";
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return "";
  std::string all;
  const auto say = [&all](const char* name, std::optional<bool> on) {
    if (on) all += std::string(all.empty() ? "" : ", ") + name + (*on ? " on" : " off");
  };
  const auto told = [&](std::uint32_t command) -> std::optional<bool> {
    const auto value = ask(socket, interface, command);
    return value ? std::optional(*value != 0) : std::nullopt;
  };
  say("tso", told(ETHTOOL_GTSO));
  say("gso", told(ETHTOOL_GGSO));
  say("gro", told(ETHTOOL_GGRO));
  const auto flags = ask(socket, interface, ETHTOOL_GFLAGS);
  say("lro", flags ? std::optional((*flags & ETH_FLAG_LRO) != 0) : std::nullopt);
  say("scatter-gather", told(ETHTOOL_GSG));
  say("rx checksum", told(ETHTOOL_GRXCSUM));
  say("tx checksum", told(ETHTOOL_GTXCSUM));
  close(socket);
  return all;
}

}  // namespace pollux
