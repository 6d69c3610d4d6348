// What a network interface does in place of the CPU, asked of its driver as ethtool does.
#pragma once

#include <string>

namespace pollux {

/// "tso on, gso on, gro on, ..."; empty if the driver does not say, or there is no such interface.
std::string read_nic_offloads(const std::string& interface);

}  // namespace pollux
