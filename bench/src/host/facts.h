// The parts of a host's profile, one function a topic. Each adds all of its facts: what can't be found out is
// "unknown", so that two hosts can be laid side by side.
#pragma once

#include <string>
#include <vector>

#include "host/host.h"
#include "host/host_files.h"

namespace pollux {

class FactList {
 public:
  void add(std::string name, std::string value, std::string evidence = "",
           FactKind kind = FactKind::matters) {
    if (value.empty()) value = "unknown";
    facts_.push_back({std::move(name), std::move(value), std::move(evidence), kind});
  }
  [[nodiscard]] const std::vector<HostFact>& facts() const { return facts_; }

 private:
  std::vector<HostFact> facts_;
};

/// The value of a fact; "unknown" if it is not there.
std::string fact_value(const std::vector<HostFact>& facts, std::string_view name);

/// `usable`: the CPUs that this process may run on.
void add_cpu_facts(const HostFiles& files, const std::vector<int>& usable, FactList& facts);
void add_cgroup_facts(const HostFiles& files, FactList& facts);
void add_clock_facts(const HostFiles& files, FactList& facts);
void add_kernel_facts(const HostFiles& files, FactList& facts);
void add_memory_facts(const HostFiles& files, FactList& facts);
void add_network_facts(const HostFiles& files, FactList& facts);
/// Of the disk that `directory` is on.
void add_disk_facts(const HostFiles& files, const std::string& directory, FactList& facts);
void add_identity_facts(const HostFiles& files, FactList& facts);

}  // namespace pollux
