// `pollux bench` ipc, tcp, disk, selftest and all, from outside: they find what they must find, end when the
// other end does not answer, and keep what they have when they are interrupted.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "integration/bench_result.h"
#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::chrono::seconds patience(120);

class BenchToolsTest : public ::testing::Test {
 protected:
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-bench-test-"));
  std::unique_ptr<TemporaryDirectory> said_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-bench-said-"));

  [[nodiscard]] std::string directory() const { return home_->path().string(); }
  [[nodiscard]] fs::path said(const std::string& name) const { return said_->path() / name; }

  std::unique_ptr<ChildProcess> start(std::vector<std::string> arguments, const std::string& name) {
    arguments.insert(arguments.begin(), {pollux_command(), "bench"});
    auto child = ChildProcess::start({.argv = arguments, .environment = {}, .output = said(name)});
    EXPECT_TRUE(child) << child.error().text;
    return std::move(*child);
  }
  bool says(const std::string& name, const std::string& text) const {
    return SpawnedPair::wait_until([&] { return text_of(said(name)).find(text) != std::string::npos; },
                                   patience);
  }
  int exit_code(ChildProcess& child) {
    const auto status = child.wait(patience);
    EXPECT_TRUE(status) << "it did not end";
    return status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
  }
  /// A far end on a free port of this host; its address.
  std::string start_peer(std::unique_ptr<ChildProcess>& peer) {
    peer = start({"peer", "--listen", "127.0.0.1:0"}, "peer");
    EXPECT_TRUE(says("peer", "measure from"));
    const auto text = text_of(said("peer"));
    const auto at = text.find("127.0.0.1:");
    return text.substr(at, text.find(';', at) - at);
  }
};

TEST_F(BenchToolsTest, TheSelftestFindsEveryFault) {
  const auto result = run_pollux({"bench", "selftest", "--directory", directory()}, "", patience);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output,
              AnyOf(HasSubstr("5 of 5 faults found"), HasSubstr("4 of 4 faults found, others")));
  EXPECT_TRUE(fs::is_empty(home_->path()));
}

TEST_F(BenchToolsTest, EveryTransportCarriesMessagesUnchanged) {
  const auto result = run_pollux({"bench", "ipc", "--directory", directory(), "--runs", "1", "--messages",
                                  "50", "--size", "16,70000", "--place", "free", "--json"},
                                 "", patience);
  EXPECT_THAT(result.exit_code, AnyOf(0, 3)) << result.output;
  const auto json = result_in(result.output);
  for (const auto* const transport :
       {"unix-socket", "pipe", "tcp", "shm-busy", "shm-adaptive", "shm-blocking", "zmq-ipc", "zmq-tcp",
        "zmq-inproc", "pollux-query", "pollux-commit"}) {
    const auto& cell = cell_with(json, std::string("transport=") + transport + " bytes=16 ");
    EXPECT_FALSE(cell.at("failed").as_bool()) << boost::json::serialize(cell);
    EXPECT_EQ(figure_of(cell, "round trip").at("times").at("count").to_number<int>(), 50) << transport;
    EXPECT_GT(value_of(cell, "round trip"), 0);
  }
  EXPECT_TRUE(fs::is_empty(home_->path()));
  EXPECT_THAT(processes_with_argument(pollux_command(), directory()), ::testing::IsEmpty());
}

TEST_F(BenchToolsTest, AFarEndThatDiesIsToldAndEndsTheCell) {
  std::unique_ptr<ChildProcess> peer;
  const auto address = start_peer(peer);
  auto bench = start({"ipc", "--directory", directory(), "--peer", address, "--transport", "tcp", "--size",
                      "64", "--runs", "1", "--messages", "1000000000", "--limit-ms", "600000", "--json"},
                     "ipc");
  ASSERT_TRUE(says("ipc", "place=other-host"));
  peer->signal(SIGKILL);
  EXPECT_EQ(exit_code(*bench), 3) << text_of(said("ipc"));
  const auto json = result_in(text_of(said("ipc")));
  const auto& cell = cell_with(json, "transport=tcp");
  EXPECT_EQ(cell.at("verdict").as_string(), "invalid");
  EXPECT_FALSE(cell.at("reasons").as_array().empty());
}

TEST_F(BenchToolsTest, AFarEndThatStandsStillIsGivenUpAndCountedAsAtLeastThatLong) {
  std::unique_ptr<ChildProcess> peer;
  const auto address = start_peer(peer);
  auto bench =
      start({"tcp",        "--directory", directory(), "--peer",       address,  "--mode", "latency",
             "--library",  "raw",         "--size",    "64",           "--runs", "1",      "--round-trips",
             "1000000000", "--limit-ms",  "600000",    "--give-up-ms", "500",    "--json"},
            "tcp");
  ASSERT_TRUE(says("tcp", "place=other-host"));
  // Round trips are going on once the far end has used some processor time.
  ASSERT_TRUE(
      SpawnedPair::wait_until([&] { return processor_time_ns(peer->pid()) > 200'000'000; }, patience));
  peer->signal(SIGSTOP);
  EXPECT_EQ(exit_code(*bench), 3) << text_of(said("tcp"));
  peer->signal(SIGCONT);
  const auto json = result_in(text_of(said("tcp")));
  const auto& cell = cell_with(json, "mode=latency");
  EXPECT_THAT(std::string(cell.at("reasons").at(0).as_string()), HasSubstr("did not answer in time"));
  const auto& times = figure_of(cell, "round trip").at("times");
  EXPECT_EQ(times.at("censored").to_number<int>(), 1) << "to leave it out would hide the worst";
  EXPECT_GE(times.at("largest_ns").to_number<std::int64_t>(), 400'000'000);
}

TEST_F(BenchToolsTest, AMissingFarEndIsOneClearLine) {
  const auto result = run_pollux({"bench", "tcp", "--directory", directory(), "--peer", "127.0.0.1:1",
                                  "--runs", "1", "--mode", "latency", "--library", "raw", "--size", "64"},
                                 "", patience);
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("start 'pollux bench peer --listen HOST:PORT' on the other host first"));
}

TEST_F(BenchToolsTest, AnInterruptKeepsWhatWasMeasured) {
  const auto file = said("result.json");
  auto bench = start(
      {"ipc", "--directory", directory(), "--transport", "unix-socket,pipe", "--size", "64", "--place",
       "free", "--runs", "1", "--messages", "1000000000", "--limit-ms", "1500", "--output", file.string()},
      "ipc");
  ASSERT_TRUE(says("ipc", "transport=pipe"));
  bench->signal(SIGINT);
  EXPECT_EQ(exit_code(*bench), 130) << text_of(said("ipc"));
  const auto json = boost::json::parse(text_of(file));
  EXPECT_FALSE(json.at("complete").as_bool());
  EXPECT_GT(value_of(cell_with(json, "transport=unix-socket"), "round trip"), 0);
  EXPECT_THAT(text_of(said("ipc")), HasSubstr("INCOMPLETE: interrupted"));
  EXPECT_THAT(text_of(said("ipc")), ::testing::Not(HasSubstr("\033"))) << "no terminal's tricks in a file";
  EXPECT_TRUE(fs::is_empty(home_->path()));
}

TEST_F(BenchToolsTest, TheDiskCellsSayWhetherAFlushIsOne) {
  const auto result = run_pollux({"bench", "disk", "--directory", directory(), "--runs", "1", "--accesses",
                                  "40", "--records", "1000", "--batch", "1,4", "--json"},
                                 "", patience);
  EXPECT_THAT(result.exit_code, AnyOf(0, 3)) << result.output;
  const auto json = result_in(result.output);
  for (const auto* const file : {"raw", "lmdb", "trail"}) {
    const auto& write =
        cell_with(json, std::string("file=") + file + " operation=write sync=fdatasync batch=1 ");
    EXPECT_FALSE(write.at("failed").as_bool()) << result.output;
    EXPECT_THAT(boost::json::serialize(write.at("found")), HasSubstr("\"flush\""));
    EXPECT_GT(value_of(write, "access"), 0);
    const auto& read = cell_with(json, std::string("file=") + file + " operation=read cache=cold");
    EXPECT_FALSE(read.at("failed").as_bool()) << result.output;
    EXPECT_EQ(figure_of(read, "access").at("times").at("count").to_number<int>(), 40);
  }
  EXPECT_TRUE(fs::is_empty(home_->path()));
}

TEST_F(BenchToolsTest, MemoryIsNoDisk) {
  const auto memory = std::move(*TemporaryDirectory::make("/dev/shm", "pollux-bench-test-"));
  const auto result =
      run_pollux({"bench", "disk", "--directory", memory->path().string(), "--runs", "1", "--file", "raw",
                  "--accesses", "20", "--records", "100", "--batch", "1", "--operation", "write"},
                 "", patience);
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("it is on tmpfs, where a flush makes nothing durable"));
}

TEST_F(BenchToolsTest, AThresholdHasAnExitCodeOfItsOwn) {
  const auto with = [&](const std::string& threshold) {
    return run_pollux({"bench", "ipc", "--directory", directory(), "--transport", "pipe", "--size", "16",
                       "--place", "free", "--runs", "1", "--messages", "30", "--threshold", threshold},
                      "", patience);
  };
  const auto met = with("ipc.longest<1000s");
  EXPECT_EQ(met.exit_code, 0) << met.output;
  EXPECT_THAT(met.output, HasSubstr("threshold ipc.longest<1000s: met by 1 cell"));
  const auto missed = with("ipc.longest<1ns");
  EXPECT_EQ(missed.exit_code, 4) << missed.output;
  const auto nonsense = with("ipc.longest<soon");
  EXPECT_EQ(nonsense.exit_code, 2) << nonsense.output;
  EXPECT_THAT(nonsense.output, HasSubstr("is no unit"));
}

TEST_F(BenchToolsTest, BadOptionsGetOneLineAndExitCode2) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad = {
      {{"ipc", "--size", "0"}, "a size must be 1 to"},
      {{"ipc", "--size", "12Q"}, "is no size"},
      {{"ipc", "--transport", "pigeon"}, "pigeon"},
      {{"tcp", "--buffers", "1"}, "a size must be"},
      {{"disk", "--sync", "hope"}, "hope"},
      {{"all", "--preset", "seed-z"}, "seed-z"},
      {{"ipc", "--price-per-hour", "cheap"}, "is no price"},
      {{"ipc", "--json", "--csv"}, "--csv"},
      {{"peer"}, "--listen HOST:PORT is missing"},
      {{"peer", "--listen", "nowhere"}, "is no HOST:PORT"},
  };
  for (auto [arguments, text] : bad) {
    arguments.insert(arguments.begin(), "bench");
    const auto result = run_pollux(arguments, "", patience);
    EXPECT_EQ(result.exit_code, 2) << text << ": " << result.output;
    EXPECT_THAT(result.output, HasSubstr(text));
    EXPECT_LE(std::ranges::count(result.output, '\n'), 1) << result.output;
  }
}

TEST_F(BenchToolsTest, ADirectoryThatIsNotThereOrHasNoRoomIsOneClearLine) {
  const auto missing =
      run_pollux({"bench", "disk", "--directory", directory() + "/nowhere", "--quick"}, "", patience);
  EXPECT_EQ(missing.exit_code, 1) << missing.output;
  EXPECT_THAT(missing.output, HasSubstr("nowhere"));
}

TEST_F(BenchToolsTest, AllIsOneResultWithWhatWasLeftOutAndWhy) {
  const auto result = run_pollux({"bench", "all", "--directory", directory(), "--quick", "--runs", "1",
                                  "--only", "noise,disk,risk,ingest", "--json"},
                                 "", std::chrono::seconds(300));
  EXPECT_THAT(result.exit_code, AnyOf(0, 3)) << result.output;
  const auto json = result_in(result.output);
  EXPECT_TRUE(json.at("complete").as_bool());
  EXPECT_TRUE(json.at("quick").as_bool());
  EXPECT_EQ(cell_with(json, "risk").at("verdict").as_string(), "not available");
  EXPECT_FALSE(cell_with(json, "risk").at("reasons").as_array().empty());
  cell_with(json, "disk file=raw");
  cell_with(json, "noise");
  EXPECT_FALSE(json.at("host").as_array().empty());
  EXPECT_TRUE(fs::is_empty(home_->path()));
}

}  // namespace
}  // namespace pollux::testing
