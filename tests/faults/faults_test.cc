#include "faults/faults.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace pollux::testing {
namespace {

namespace fs = std::filesystem;

// The probe as a child, one line in, one line out.
class Probe {
 public:
  Probe(const DiskFaults& faults, const fs::path& file) {
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
      for (const auto& variable : faults.environment()) putenv(::strdup(variable.c_str()));
      execl(FAULTS_PROBE, FAULTS_PROBE, file.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~Probe() {
    close(in_);
    close(out_);
    int status = 0;
    waitpid(pid_, &status, 0);
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  void ask(const std::string& operation) const {
    const std::string line = operation + "\n";
    ASSERT_EQ(write(in_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  /// The probe's answer, or "silent" if there is none within the time.
  [[nodiscard]] std::string answer(int within_ms = 20000) const {
    std::string line;
    char byte = 0;
    pollfd waited{out_, POLLIN, 0};
    while (poll(&waited, 1, within_ms) == 1 && read(out_, &byte, 1) == 1) {
      if (byte == '\n') return line;
      line.push_back(byte);
    }
    return "silent";
  }
  [[nodiscard]] std::string does(const std::string& operation) const {
    ask(operation);
    return answer();
  }

 private:
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
};

class DiskFaultsTest : public ::testing::Test {
 protected:
  DiskFaultsTest() {
    std::string name = (fs::temp_directory_path() / "pollux-faults-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    home_ = name;
    fs::create_directories(home_ / "a");
    fs::create_directories(home_ / "ab");
    faults_ = std::make_unique<DiskFaults>(home_ / "control");
  }
  ~DiskFaultsTest() override { fs::remove_all(home_); }

  fs::path home_;
  std::unique_ptr<DiskFaults> faults_;
};

TEST_F(DiskFaultsTest, NothingFailsWithoutARule) {
  const Probe probe(*faults_, home_ / "a" / "file");
  for (const auto* operation :
       {"fsync", "fdatasync", "msync", "write", "pwrite", "pwritev", "pwrite-synced"}) {
    EXPECT_EQ(probe.does(operation), "ok") << operation;
  }
}

TEST_F(DiskFaultsTest, AFlushFailsFromTheMomentItIsToldToAndNoLonger) {
  const Probe probe(*faults_, home_ / "a" / "file");
  EXPECT_EQ(probe.does("fdatasync"), "ok");
  faults_->set(DiskOperation::flush, DiskFault::io_error, home_ / "a");
  for (const auto* operation : {"fsync", "fdatasync", "msync", "pwrite-synced"}) {
    EXPECT_EQ(probe.does(operation), "EIO") << operation;
  }
  EXPECT_EQ(probe.does("pwrite"), "ok");
  faults_->clear();
  EXPECT_EQ(probe.does("fdatasync"), "ok");
}

TEST_F(DiskFaultsTest, AFullDiskRefusesWrites) {
  const Probe probe(*faults_, home_ / "a" / "file");
  faults_->set(DiskOperation::write, DiskFault::no_space, home_ / "a");
  for (const auto* operation : {"write", "pwrite", "pwritev", "pwrite-synced"}) {
    EXPECT_EQ(probe.does(operation), "ENOSPC") << operation;
  }
  EXPECT_EQ(probe.does("fdatasync"), "ok");
}

TEST_F(DiskFaultsTest, OnlyTheChosenMemberIsHit) {
  const Probe chosen(*faults_, home_ / "a" / "file"), other(*faults_, home_ / "ab" / "file");
  faults_->set(DiskOperation::any, DiskFault::io_error, home_ / "a");
  EXPECT_EQ(chosen.does("fdatasync"), "EIO");
  EXPECT_EQ(other.does("fdatasync"), "ok");
}

TEST_F(DiskFaultsTest, AHangingFlushReturnsOnlyWhenTheRuleIsGone) {
  const Probe probe(*faults_, home_ / "a" / "file");
  faults_->set(DiskOperation::flush, DiskFault::hang, home_ / "a");
  probe.ask("fdatasync");
  EXPECT_EQ(probe.answer(200), "silent");
  faults_->clear();
  EXPECT_EQ(probe.answer(), "ok");
}

}  // namespace
}  // namespace pollux::testing
