// What `pollux bench` measures, measured by other people's tools in the same run. A test's build is slower
// than a release, and the machine may be busy: the bounds are wide enough for that, and narrow enough to
// catch the traps that are met in such tools, such as half of a round trip told as a whole one.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <regex>

#include "integration/bench_result.h"
#include "integration/pair_under_test.h"
#include "peer/line_socket.h"

namespace pollux::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds patience(120);
// Ours to theirs: the sanitizers of a test's build, and two cores that others use as well. Half of a round trip, or bits for bytes,
// lie outside.
constexpr double most = 3.0, least = 0.6;

int free_port() {
  const auto listening = listen_tcp("127.0.0.1", "0");
  EXPECT_TRUE(listening);
  const auto address = local_address(*listening);
  close(*listening);
  return std::stoi(address->second);
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char part[4096];
  while (const auto got = fread(part, 1, sizeof part, pipe)) text.append(part, got);
  pclose(pipe);
  return text;
}

double number_after(const std::string& text, const std::string& pattern) {
  std::smatch match;
  EXPECT_TRUE(std::regex_search(text, match, std::regex(pattern + R"(\s*([0-9.]+))")))
      << pattern << " in: " << text;
  return match.empty() ? 0 : std::stod(match[1]);
}

class CrosscheckTest : public ::testing::Test {
 protected:
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-crosscheck-"));

  boost::json::value bench(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    arguments.insert(arguments.end(), {"--directory", home_->path().string(), "--json"});
    const auto result = run_pollux(arguments, "", patience);
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 3)) << result.output;
    return result_in(result.output);
  }
  std::unique_ptr<ChildProcess> start(std::vector<std::string> argv) {
    auto child =
        ChildProcess::start({.argv = std::move(argv), .environment = {}, .output = home_->path() / "server"});
    EXPECT_TRUE(child) << child.error().text;
    return std::move(*child);
  }
  static void expect_near(double ours, double theirs, const std::string& what) {
    std::printf("%s: ours %.3g, theirs %.3g, ratio %.2f\n", what.c_str(), ours, theirs, ours / theirs);
    EXPECT_LT(ours / theirs, most) << what;
    EXPECT_GT(ours / theirs, least) << what;
  }
};

TEST_F(CrosscheckTest, ARoundTripIsTwiceWhatSockperfCallsLatency) {
  const auto port = std::to_string(free_port());
  auto server = start({"/usr/bin/sockperf", "sr", "--tcp", "-i", "127.0.0.1", "-p", port});
  std::string said;
  ASSERT_TRUE(SpawnedPair::wait_until(
      [&] {
        said = output_of("sockperf pp --tcp -i 127.0.0.1 -p " + port + " -m 64 -t 1 2>&1");
        return said.find("percentile 50.000") != std::string::npos;
      },
      patience));
  const auto half_us = number_after(said, R"(percentile 50\.000 =)");
  const auto json = bench({"tcp", "--mode", "latency", "--library", "raw", "--size", "64", "--runs", "3"});
  const auto ours_us = static_cast<double>(value_of(cell_with(json, "library=raw"), "round trip")) / 1000;
  expect_near(ours_us, 2 * half_us, "round trip of 64 bytes over TCP, us");
}

TEST_F(CrosscheckTest, ThroughputIsWhatIperfTells) {
  const auto port = std::to_string(free_port());
  auto server = start({"/usr/bin/iperf3", "-s", "-p", port});
  std::string said;
  ASSERT_TRUE(SpawnedPair::wait_until(
      [&] {
        said = output_of("iperf3 -c 127.0.0.1 -p " + port + " -t 1 -l 64K -J 2>/dev/null");
        return said.find("sum_received") != std::string::npos;
      },
      patience));
  const auto theirs =
      boost::json::parse(said).at("end").at("sum_received").at("bits_per_second").to_number<double>() / 8e6;
  const auto json = bench({"tcp", "--mode", "throughput", "--library", "raw", "--size", "64K", "--buffers",
                           "auto", "--runs", "3", "--limit-ms", "1000"});
  const auto& cell = cell_with(json, "mode=throughput");
  expect_near(static_cast<double>(value_of(cell, "throughput")) / 1e6, theirs, "throughput over TCP, MB/s");
  EXPECT_FALSE(cell.at("failed").as_bool());
}

TEST_F(CrosscheckTest, AFlushedWriteTakesWhatFioTells) {
  const auto said = output_of(
      "cd " + home_->path().string() +
      " && fio --name=key --rw=randwrite --bs=100 --size=4m --fdatasync=1 --ioengine=psync --runtime=2 "
      "--time_based --output-format=json 2>/dev/null");
  ASSERT_NE(said.find('{'), std::string::npos) << said;
  const auto job = boost::json::parse(said.substr(said.find('{'))).at("jobs").at(0);
  const auto theirs_ns = job.at("write").at("clat_ns").at("percentile").at("50.000000").to_number<double>() +
                         job.at("sync").at("lat_ns").at("percentile").at("50.000000").to_number<double>();
  const auto json =
      bench({"disk", "--file", "raw", "--operation", "write", "--sync", "fdatasync", "--batch", "1",
             "--records", "40000", "--runs", "3", "--accesses", "3000", "--limit-ms", "1000"});
  expect_near(static_cast<double>(value_of(cell_with(json, "file=raw"), "access")), theirs_ns,
              "write of 100 bytes and flush, ns");
}

}  // namespace
}  // namespace pollux::testing
