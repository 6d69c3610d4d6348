// Does this run in a container? A marker file alone is no proof: a VM whose disk was made from an image of a
// container still has it.
#pragma once

#include "host/host_files.h"
#include "host/virtual_machine.h"

namespace pollux {

/// "none", "docker", "podman", "kubernetes", "containerd", "lxc", "systemd-nspawn", "wsl", "container" (of a
/// kind that is not known).
FoundOut find_container(const HostFiles& files);

}  // namespace pollux
