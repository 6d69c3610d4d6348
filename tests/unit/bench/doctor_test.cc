#include <gmock/gmock.h>

#include <sstream>

#include "doctor/doctor_report.h"
#include "pollux/bench/child_process.h"

namespace pollux {
namespace {

using ::testing::HasSubstr;

// A host without fault: bare metal, steady, with an honest disk.
Observed healthy() {
  Observed seen;
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"vm", "none"},
                                                        {"container", "none"},
                                                        {"clock.source", "tsc"},
                                                        {"clock.sources", "tsc hpet"},
                                                        {"clock.synchronised", "yes"},
                                                        {"cpu.governor", "performance"},
                                                        {"memory.swap", "none"},
                                                        {"memory.swappiness", "60"},
                                                        {"memory.overcommit", "0"},
                                                        {"disk.write_cache", "write back"}}) {
    seen.facts.push_back({.name = name, .value = value});
  }
  seen.directory = "/srv/pollux";
  seen.file_system = "ext4";
  seen.disk_device = "sda";
  seen.late.record_ns(60'000, 1000);
  seen.gaps.add_reading(200'000);
  seen.flushes.record_ns(1'500'000, 500);
  seen.flushes_asked = 500;
  seen.flushes_counted = 500;
  return seen;
}
void set(Observed& seen, const std::string& name, const std::string& value) {
  for (auto& fact : seen.facts) {
    if (fact.name == name) fact.value = value;
  }
}
DoctorWarnings warnings_of(const Observed& seen, const Config* config = nullptr) {
  return find_warnings(seen, advise(seen), config);
}
void expect_one(const Observed& seen, const std::string& what, const Config* config = nullptr) {
  const auto warnings = warnings_of(seen, config);
  ASSERT_EQ(warnings.size(), 1u) << what;
  EXPECT_THAT(warnings[0].what, HasSubstr(what));
  EXPECT_FALSE(warnings[0].why.empty());
  EXPECT_FALSE(warnings[0].todo.empty());
}
Config default_times() { return default_config("/srv/pollux"); }

TEST(Doctor, HasNothingToSayOfAHealthyHostWithTheDefaultConfiguration) {
  const auto config = default_times();
  EXPECT_TRUE(warnings_of(healthy(), &config).empty());
}

TEST(Doctor, AdvisesTheShortestTimesOnASteadyHostAndNoneBelowTwentyMilliseconds) {
  const auto advice = advise(healthy());
  EXPECT_EQ(advice.pause_ms, 2);
  EXPECT_EQ(advice.ms_of("heartbeat_ms"), 20);
  EXPECT_EQ(advice.ms_of("lease_ms"), 70) << "three heartbeats and two pauses, rounded up";
  EXPECT_EQ(advice.ms_of("grace_ms"), 80);
  EXPECT_EQ(advice.times.front().line(),
            "heartbeat_ms = 20  # no time below 20 ms; twice the pause of 2 ms fits into it");
}

TEST(Doctor, AllowsForLongerPausesOnAVmEvenIfNoneWasSeen) {
  auto seen = healthy();
  set(seen, "vm", "kvm");
  EXPECT_EQ(advise(seen).pause_ms, 8);
  EXPECT_THAT(advise(seen).pause_reason, HasSubstr("on a host that is shared"));
}

TEST(Doctor, AllowsForFourTimesTheLongestPauseThatWasSeen) {
  auto seen = healthy();
  seen.late.record_ns(25'300'000);
  const auto advice = advise(seen);
  EXPECT_EQ(advice.pause_ms, 102);
  EXPECT_EQ(advice.ms_of("heartbeat_ms"), 210);
  EXPECT_THAT(advice.pause_reason, HasSubstr("4 times the longest that was seen, 25.3"));
}

TEST(Doctor, EveryTimeItAdvisesIsOneTheConfigurationTakes) {
  for (std::int64_t pause_ns = 1000; pause_ns < 3'000'000'000; pause_ns = pause_ns * 3 / 2) {
    for (const std::int64_t flush_ns : {100'000, 30'000'000, 2'000'000'000}) {
      auto seen = healthy();
      seen.gaps.add_reading(pause_ns);
      seen.flushes.record_ns(flush_ns);
      const auto advice = advise(seen);
      const auto options = options_of(advice);
      // What is checked of a configuration before a pair is started.
      EXPECT_GE(options.lease, 2 * options.heartbeat) << pause_ns;
      EXPECT_GE(options.grace * 100, options.lease * 102) << pause_ns;
      EXPECT_GE(options.takeover_after, options.grace) << pause_ns;
      EXPECT_GE(options.takeover_after, 3 * options.heartbeat) << pause_ns;
      EXPECT_GT(options.left_behind_after, options.resend_after) << pause_ns;
      for (const auto& time : advice.times) EXPECT_GE(time.ms, 20) << time.key;
      EXPECT_LE(options.heartbeat, std::chrono::milliseconds(10'000));
      EXPECT_LE(options.lease, std::chrono::milliseconds(60'000));
      EXPECT_LE(options.grace, std::chrono::milliseconds(120'000));
    }
  }
}

TEST(Doctor, WarnsOfClocks) {
  auto seen = healthy();
  set(seen, "clock.source", "hpet");
  expect_one(seen, "the clock source is hpet");
  for (const auto* good : {"tsc", "kvm-clock", "arch_sys_counter", "unknown"}) {
    set(seen, "clock.source", good);
    EXPECT_TRUE(warnings_of(seen).empty()) << good;
  }
  set(seen, "clock.synchronised", "no");
  expect_one(seen, "not synchronised");
  seen = healthy();
  seen.clock.broken = "the clock went backwards 3 times in 1,000 readings";
  expect_one(seen, "went backwards");
}

TEST(Doctor, WarnsOfCpusThatAreSlowOrTakenAway) {
  auto seen = healthy();
  set(seen, "cpu.governor", "performance, powersave");
  expect_one(seen, "governor is performance, powersave");
  seen = healthy();
  seen.limits.cpu_quota_ppm = 50'000;
  expect_one(seen, "CPU quota of 5 % of one CPU");
  seen = healthy();
  seen.steal_ppm = 50'000;
  expect_one(seen, "the hypervisor took 5.00 %");
}

TEST(Doctor, WarnsOfMemoryThatIsTooLittleOrSwapped) {
  auto seen = healthy();
  set(seen, "memory.swap", "4096 MiB");
  expect_one(seen, "vm.swappiness is 60");
  set(seen, "memory.swappiness", "1");
  EXPECT_TRUE(warnings_of(seen).empty());
  seen.limits.memory_max_bytes = 64u << 20;
  expect_one(seen, "the memory limit of 64 MiB is below");
  seen = healthy();
  set(seen, "memory.overcommit", "2");
  expect_one(seen, "overcommit_memory is 2");
}

TEST(Doctor, KnowsWhatASmallConfigurationNeeds) {
  auto seen = healthy();
  seen.limits.memory_max_bytes = 512u << 20;
  const auto large = default_times();
  expect_one(seen, "the memory limit of 512 MiB", &large);
  auto small = large;
  small.pairs[0].options.queue_bytes_max = 1u << 20;
  small.pairs[0].options.in_flight_bytes_max = 8u << 20;
  small.pairs[0].options.unapplied_bytes_max = 8u << 20;
  EXPECT_TRUE(warnings_of(seen, &small).empty());
}

TEST(Doctor, WarnsIfTheGatewayCantHaveItsConnections) {
  auto seen = healthy();
  seen.open_files_max = 1024;
  auto config = default_times();
  expect_one(seen, "only 1024 files open", &config);
  config.gateways[0].connections_max = 100;
  EXPECT_TRUE(warnings_of(seen, &config).empty());
}

TEST(Doctor, WarnsOfDisksThatForget) {
  auto seen = healthy();
  seen.file_system = "tmpfs";
  seen.volatile_memory = true;
  expect_one(seen, "/srv/pollux is on tmpfs");
  seen = healthy();
  seen.flushes_counted = 0;
  expect_one(seen, "counted no flush");
  seen = healthy();
  seen.flushes = Histogram();
  seen.flushes.record_ns(12'000, 500);
  expect_one(seen, "too little for one that empties a volatile write cache");
  set(seen, "disk.write_cache", "write through");
  EXPECT_TRUE(warnings_of(seen).empty());
}

TEST(Doctor, WarnsOfAConfigurationThatIsHastierThanTheHost) {
  auto seen = healthy();
  seen.gaps.add_reading(13'000'000);
  const auto config = default_times();
  const auto warnings = warnings_of(seen, &config);
  ASSERT_EQ(warnings.size(), 4u) << "heartbeat, lease, grace and takeover";
  EXPECT_THAT(warnings[0].what, HasSubstr("heartbeat_ms = 50 is shorter than this host can keep"));
  EXPECT_THAT(warnings[0].todo, HasSubstr("set heartbeat_ms to 110 or more"));
}

TEST(Doctor, WarnsOfReadsByLeaseOnAHostThatPauses) {
  auto seen = healthy();
  seen.late.record_ns(70'000'000);
  auto config = default_times();
  config.pairs[0].options = options_of(advise(seen));
  config.pairs[0].options.heartbeat = std::chrono::milliseconds(600);
  config.pairs[0].options.lease = std::chrono::milliseconds(3000);
  config.pairs[0].options.grace = std::chrono::milliseconds(4000);
  config.pairs[0].options.takeover_after = std::chrono::milliseconds(5000);
  config.pairs[0].options.reads = ReadMode::lease;
  EXPECT_TRUE(warnings_of(seen, &config).empty()) << "a heartbeat is longer than the pause";
  seen.late.record_ns(700'000'000);
  bool told = false;
  for (const auto& warning : warnings_of(seen, &config))
    told = told || warning.what.find("reads = \"lease\"") != std::string::npos;
  EXPECT_TRUE(told);
}

TEST(Doctor, SaysEachWarningWithItsReasonAndWhatToDoOnATerminalAndAsJson) {
  DoctorReport report{.seen = healthy(), .advice = {}, .warnings = {}, .config_name = "pollux.toml"};
  set(report.seen, "cpu.governor", "powersave");
  report.advice = advise(report.seen);
  report.warnings = find_warnings(report.seen, report.advice, nullptr);
  std::ostringstream out;
  print_report(report, out);
  EXPECT_THAT(out.str(), HasSubstr("\nheartbeat_ms = 20  # "));
  EXPECT_THAT(out.str(),
              HasSubstr("1 warning (with pollux.toml):\n\n- the CPU governor is powersave\n  why: "));
  EXPECT_THAT(out.str(), HasSubstr("\n  do:  cpupower"));
  const auto json = json_of(report);
  EXPECT_EQ(json.at("times").at(0).at("ms").as_int64(), 20);
  EXPECT_EQ(json.at("warnings").at(0).at("what").as_string(), "the CPU governor is powersave");
}

TEST(Doctor, LooksAtThisHostAndLeavesNothingInTheDirectory) {
  const auto home =
      std::move(*TemporaryDirectory::make(std::filesystem::temp_directory_path(), "pollux-doctor-"));
  const auto seen = observe({.directory = home->path(), .config = {}, .look = std::chrono::milliseconds(50)});
  ASSERT_TRUE(seen) << seen.error().text;
  EXPECT_EQ(seen->late.count(), 30u);
  EXPECT_GT(seen->gaps.readings, 0u);
  EXPECT_GT(seen->flushes.count(), 0u);
  EXPECT_FALSE(seen->facts.empty());
  EXPECT_TRUE(std::filesystem::is_empty(home->path()));
  EXPECT_FALSE(
      observe({.directory = "/nowhere/at/all", .config = {}, .look = std::chrono::milliseconds(50)}));
}

}  // namespace
}  // namespace pollux
