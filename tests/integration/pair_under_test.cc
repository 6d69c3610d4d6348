#include "integration/pair_under_test.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "pollux/ledger/ledger.h"

namespace pollux::testing {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t log_tail_bytes = 4000;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> log_files(const SpawnedPair& pair) {
  std::vector<fs::path> files = {pair.node_output()};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(pair.config().data / "log", ignored))
    files.push_back(entry.path());
  return files;
}

}  // namespace

std::string pollux_command() { return POLLUX_COMMAND; }

std::string patient_pair_settings() {
  return "heartbeat_ms = 100\nlease_ms = 800\ngrace_ms = 1200\ntakeover_after_ms = 1500\n"
         "left_behind_after_ms = 4000\nexecute_limit_ms = 4000\nforce_limit_ms = 4000\n"
         "rejoin_backoff_min_ms = 50\nrejoin_backoff_max_ms = 500\n";
}

std::string quick_restart_settings() {
  return "restart_min_ms = 20\nrestart_max_ms = 200\nhealthy_after_ms = 200\nstorage_retry_ms = 1000\n";
}

void PairUnderTest::start(std::vector<std::string> environment, const std::string& member_a,
                          const std::string& member_b) {
  start_with(
      {.environment = std::move(environment), .member_settings_a = member_a, .member_settings_b = member_b});
}

void PairUnderTest::start_with(SpawnedPairOptions options) {
  options.command = pollux_command();
  options.parent = fs::temp_directory_path();
  options.pair_settings = patient_pair_settings() + options.pair_settings;
  options.node_settings = quick_restart_settings() + options.node_settings;
  auto pair = SpawnedPair::start(options);
  ASSERT_TRUE(pair) << pair.error().text;
  pair_ = std::move(*pair);
  trail_ = std::make_unique<TrailCheck>(*pair_);
  wait_in_sync();
}

void PairUnderTest::TearDown() {
  load_.reset();
  if (pair_ && HasFailure()) {
    std::cerr << pair_->describe() << "\n" << logs() << "\n";
    if (std::getenv("POLLUX_TEST_KEEP") != nullptr) {
      pair_->keep_directory();
      std::cerr << "kept: " << pair_->home() << "\n";
    }
  }
  pair_.reset();
}

void PairUnderTest::start_load(TransferLoadOptions options, std::uint64_t seed) {
  load_ = std::make_unique<TransferLoad>(pair_->address(), options, seed);
  wait_for_answers();
}

void PairUnderTest::wait_in_sync() {
  wait_until("both members to be in sync", [this] { return pair_->in_sync(); });
}

void PairUnderTest::wait_for_answers(std::uint64_t more) {
  const auto wanted = load_->answered() + more;
  wait_until("answers to callers", [&] { return load_->answered() >= wanted; });
}

void PairUnderTest::wait_until(const std::string& what, const std::function<bool()>& condition,
                               std::chrono::milliseconds limit) {
  if (HasFatalFailure()) return;
  ASSERT_TRUE(SpawnedPair::wait_until(condition, limit))
      << "waited in vain for " << what << "; " << pair_->describe();
}

std::size_t PairUnderTest::primary() {
  std::size_t member = 0;
  wait_until("a primary", [&] {
    const auto found = pair_->primary();
    member = found.value_or(0);
    return found.has_value();
  });
  return member;
}

MemberStatus PairUnderTest::status(std::size_t member) {
  MemberStatus told;
  wait_until("a status of member " + pair_->pair().members[member].name, [&] {
    const auto status = pair_->status(member);
    if (status) told = *status;
    return status.has_value();
  });
  return told;
}

void PairUnderTest::kill_member(std::size_t member) {
  const auto victim = status(member);
  if (HasFatalFailure()) return;
  kill(victim.pid, SIGKILL);
}

void PairUnderTest::check_everything() {
  ASSERT_TRUE(pair_ && load_);
  wait_for_answers();
  load_->stop();
  for (const auto& failure : load_->failures()) ADD_FAILURE() << "a caller was failed: " << failure;
  wait_until("both members to have everything", [this] { return pair_->settled(); });
  if (HasFatalFailure()) return;
  trail_->follow(load_->take_acknowledged());
  trail_->compare_members();

  auto requester = Requester::open(pair_->address());
  ASSERT_TRUE(requester) << requester.error().text;
  const auto answer = (*requester)->query(ledger::encode(ledger::Query(ledger::AskTotal{})));
  ASSERT_TRUE(answer) << answer.error().text;
  const auto total = ledger::decode_total(answer->payload);
  ASSERT_TRUE(total) << total.error().text;
  EXPECT_EQ(total->cents, load_->cents()) << "the balances don't add up";
  EXPECT_EQ(total->deposited, load_->cents());
}

bool PairUnderTest::said(const std::vector<std::string>& words) {
  for (const auto& file : log_files(*pair_)) {
    std::istringstream lines(content_of(file));
    for (std::string line; std::getline(lines, line);) {
      const auto has = [&line](const std::string& word) { return line.find(word) != std::string::npos; };
      if (std::ranges::all_of(words, has)) return true;
    }
  }
  return false;
}

std::string PairUnderTest::logs() {
  std::string all;
  for (const auto& file : log_files(*pair_)) {
    const auto content = content_of(file);
    const auto from = content.size() > log_tail_bytes ? content.size() - log_tail_bytes : 0;
    all += "---- " + file.filename().string() + "\n" + content.substr(from);
  }
  return all;
}

CommandResult run_pollux(const std::vector<std::string>& arguments, const std::string& input,
                         std::chrono::milliseconds limit) {
  CommandResult result;
  const auto home = TemporaryDirectory::make(fs::temp_directory_path(), "pollux-command-");
  if (!home) {
    ADD_FAILURE() << home.error().text;
    return result;
  }
  std::vector<std::string> argv = {pollux_command()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const auto input_file = (*home)->path() / "in", output = (*home)->path() / "out";
  std::ofstream(input_file) << input;
  auto child = ChildProcess::start({.argv = argv, .environment = {}, .input = input_file, .output = output});
  if (!child) {
    ADD_FAILURE() << child.error().text;
    return result;
  }
  const auto status = (*child)->wait(limit);
  if (!status) ADD_FAILURE() << "pollux " << arguments.front() << " ... did not end";
  if (status && WIFEXITED(*status)) result.exit_code = WEXITSTATUS(*status);
  result.output = content_of(output);
  return result;
}

}  // namespace pollux::testing
