#include "host/container.h"

#include <sstream>
#include <utility>

namespace pollux {

namespace {

// The kernel gives its first process namespace this fixed number (include/linux/proc_ns.h). A container has
// another, unless it was told to share the host's.
constexpr std::string_view first_pid_namespace = "pid:[4026531836]";

struct Signs {
  std::string kind;     // the strongest so far
  bool proven = false;  // more than a marker file speaks for it
  std::string evidence;
  void say(const std::string& more) { evidence += (evidence.empty() ? "" : "; ") + more; }
  void prove(const std::string& of_kind, const std::string& by) {
    // A name that is known is better than "container".
    if (!proven || kind.empty() || kind == "container") kind = of_kind;
    proven = true;
    say(by);
  }
};

std::string kind_named(const std::string& word) {
  if (word == "oci") return "container";
  for (const auto* known : {"docker", "podman", "lxc", "systemd-nspawn", "wsl", "kubernetes", "containerd"}) {
    if (word == known) return word;
  }
  return word.starts_with("lxc") ? "lxc" : "container";
}

void look_at_environment(const HostFiles& files, Signs& signs) {
  std::istringstream variables(files.text("/proc/1/environ"));
  for (std::string variable; std::getline(variables, variable, '\0');) {
    if (!variable.starts_with("container=")) continue;
    signs.prove(kind_named(variable.substr(10)), "pid 1 has " + variable);
  }
}

void look_at_cgroup(const HostFiles& files, Signs& signs) {
  constexpr std::pair<std::string_view, std::string_view> parts[] = {
      {"kubepods", "kubernetes"},   {"/docker", "docker"},
      {"libpod", "podman"},         {"/lxc", "lxc"},
      {"containerd", "containerd"}, {"machine.slice/systemd-nspawn", "systemd-nspawn"}};
  const auto text = files.text("/proc/1/cgroup") + files.text("/proc/self/cgroup");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (const auto& [part, kind] : parts) {
      // A host's own services are called docker.service and containerd.service.
      if (line.find(part) == std::string::npos || line.ends_with(".service")) continue;
      signs.prove(std::string(kind), "cgroup path has " + std::string(part));
      return;
    }
  }
}

// The file system type of "/", by the last mount there.
std::string root_file_system(const HostFiles& files) {
  std::istringstream lines(files.text("/proc/self/mountinfo"));
  std::string type;
  for (std::string line; std::getline(lines, line);) {
    const auto words = words_of(line);
    const auto dash = line.find(" - ");
    if (words.size() < 5 || words[4] != "/" || dash == std::string::npos) continue;
    type = line.substr(dash + 3, line.find(' ', dash + 3) - dash - 3);
  }
  return type;
}

}  // namespace

FoundOut find_container(const HostFiles& files) {
  Signs signs;
  const auto release = files.line("/proc/sys/kernel/osrelease");
  if (release.find("icrosoft") != std::string::npos) signs.prove("wsl", "kernel release " + release);
  look_at_environment(files, signs);
  if (files.exists("/run/secrets/kubernetes.io")) signs.prove("kubernetes", "/run/secrets/kubernetes.io");
  look_at_cgroup(files, signs);
  const auto pid_namespace = files.link("/proc/self/ns/pid");
  const bool first = pid_namespace == first_pid_namespace;
  const auto root = root_file_system(files);
  const bool overlay = root == "overlay" || root == "aufs";
  std::string marked;
  for (const auto& [file, kind] :
       {std::pair("/.dockerenv", "docker"), std::pair("/run/.containerenv", "podman")}) {
    if (!files.exists(file)) continue;
    marked = kind;
    signs.say(std::string(file) + " is there");
  }
  if (!pid_namespace.empty()) {
    if (first) {
      signs.say("the process namespace is the kernel's first");
    } else {
      signs.prove(marked.empty() ? "container" : marked, "the process namespace is not the kernel's first");
    }
  }
  if (overlay && !marked.empty()) signs.prove(marked, "the root is " + root);
  if (!root.empty() && !(overlay && !marked.empty())) signs.say("the root is " + root);
  const auto first_process = files.line("/proc/1/comm");
  if (!first_process.empty()) signs.say("pid 1 is " + first_process);

  if (signs.proven) return {signs.kind, signs.evidence};
  if (marked.empty()) return {"none", signs.evidence};
  if (first || (!root.empty() && !overlay)) {
    signs.say("so the marker file came with the image this disk was made from");
    return {"none", signs.evidence};
  }
  return {marked, signs.evidence};
}

}  // namespace pollux
