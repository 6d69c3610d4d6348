#include "host/counters.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

#include "host/host.h"
#include "host/process_table.h"
#include "pollux/bench/histogram.h"

namespace pollux {

namespace {

constexpr std::uint64_t million = 1'000'000;

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345": microseconds.
std::optional<std::uint64_t> pressure_us(const std::string& of) {
  std::ifstream file("/proc/pressure/" + of);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const auto total = line.find("total=");
  return total == std::string::npos ? std::nullopt : number_in(std::string_view(line).substr(total + 6));
}

// The line of `name` in a file of "name value" lines.
std::optional<std::uint64_t> value_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string word, value; file >> word >> value;) {
    if (word == name) return number_in(value);
  }
  return std::nullopt;
}

// Where our cgroup is: "0::/path" of version 2, or "3:cpu,cpuacct:/path" of version 1.
std::optional<std::uint64_t> throttled_us() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const auto path = line.substr(second + 1);
    if (controllers == ",,") {
      for (const auto* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
        if (const auto us = value_in(root + path + "/cpu.stat", "throttled_usec")) return us;
      }
    } else if (controllers.find(",cpu,") != std::string::npos) {
      for (const auto* root : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
        if (const auto ns = value_in(root + path + "/cpu.stat", "throttled_time")) return *ns / 1000;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> migrations() {
  std::ifstream file("/proc/self/sched");
  for (std::string name, colon, value; file >> name;) {
    if (name == "se.nr_migrations" && file >> colon >> value) return number_in(value);
  }
  return std::nullopt;
}

// Two lines "Tcp: names..." and "Tcp: values...".
std::optional<std::uint64_t> retransmits() {
  std::ifstream file("/proc/net/snmp");
  std::string names;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("Tcp:")) continue;
    if (names.empty()) {
      names = line;
      continue;
    }
    std::istringstream name_words(names), value_words(line);
    for (std::string name, value; name_words >> name && value_words >> value;) {
      if (name == "RetransSegs") return number_in(value);
    }
  }
  return std::nullopt;
}

// Field 16 of /sys/block/NAME/stat: flush requests that were completed. (Documentation/block/stat.rst)
std::optional<std::uint64_t> flushes(const std::string& device) {
  if (device.empty()) return std::nullopt;
  std::ifstream file("/sys/block/" + device + "/stat");
  constexpr int flush_field = 16;
  std::string word;
  for (int field = 1; file >> word; ++field) {
    if (field == flush_field) return number_in(word);
  }
  return std::nullopt;
}

using Counter = std::optional<std::uint64_t>;
Counter minus(const Counter& after, const Counter& before) {
  if (!after || !before) return std::nullopt;
  return *after > *before ? *after - *before : 0;
}
void plus(Counter& sum, const Counter& more) {
  if (more) sum = sum.value_or(0) + *more;
}

}  // namespace

std::uint64_t HostCounters::steal_ppm() const { return cpu_ticks == 0 ? 0 : stolen_ticks * million / cpu_ticks; }
std::uint64_t HostCounters::foreign_ppm() const { return cpu_ticks == 0 ? 0 : foreign_ticks * million / cpu_ticks; }

void HostCounters::add(const HostCounters& other) {
  elapsed_ns += other.elapsed_ns;
  cpu_ticks += other.cpu_ticks;
  stolen_ticks += other.stolen_ticks;
  foreign_ticks += other.foreign_ticks;
  plus(throttled_us, other.throttled_us);
  plus(pressure_cpu_us, other.pressure_cpu_us);
  plus(pressure_io_us, other.pressure_io_us);
  plus(pressure_memory_us, other.pressure_memory_us);
  plus(migrations, other.migrations);
  plus(retransmits, other.retransmits);
  plus(flushes, other.flushes);
}

HostCounters read_host_counters(const std::string& device) {
  HostCounters now;
  now.elapsed_ns = monotonic_ns();
  const auto cpu = read_cpu_times();
  now.cpu_ticks = cpu.all;
  now.stolen_ticks = cpu.stolen;
  now.foreign_ticks = foreign_ticks();
  now.throttled_us = throttled_us();
  now.pressure_cpu_us = pressure_us("cpu");
  now.pressure_io_us = pressure_us("io");
  now.pressure_memory_us = pressure_us("memory");
  now.migrations = migrations();
  now.retransmits = retransmits();
  now.flushes = flushes(device);
  return now;
}

HostCounters difference(const HostCounters& before, const HostCounters& after) {
  const auto less = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; };
  return {.elapsed_ns = after.elapsed_ns - before.elapsed_ns,
          .cpu_ticks = less(after.cpu_ticks, before.cpu_ticks),
          .stolen_ticks = less(after.stolen_ticks, before.stolen_ticks),
          .foreign_ticks = less(after.foreign_ticks, before.foreign_ticks),
          .throttled_us = minus(after.throttled_us, before.throttled_us),
          .pressure_cpu_us = minus(after.pressure_cpu_us, before.pressure_cpu_us),
          .pressure_io_us = minus(after.pressure_io_us, before.pressure_io_us),
          .pressure_memory_us = minus(after.pressure_memory_us, before.pressure_memory_us),
          .migrations = minus(after.migrations, before.migrations),
          .retransmits = minus(after.retransmits, before.retransmits),
          .flushes = minus(after.flushes, before.flushes)};
}

}  // namespace pollux
