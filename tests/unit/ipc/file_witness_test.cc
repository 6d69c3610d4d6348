#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <vector>

#include "pollux/ipc/witness.h"
#include "scratch_directory.h"
#include "witness_parts.h"

namespace pollux::testing {
namespace {

using Outcome = WitnessSaid::Outcome;
using ::testing::HasSubstr;

std::unique_ptr<Witness> opened(const std::filesystem::path& directory, WitnessStep step = {}) {
  auto witness = open_file_witness(directory, std::move(step));
  EXPECT_TRUE(witness.has_value()) << witness.error().text;
  return witness ? std::move(*witness) : nullptr;
}

class FileWitnessTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return directory_.path() / "w"; }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return path() / name; }
  [[nodiscard]] std::vector<std::string> files(const std::string& prefix) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      const std::string name = entry.path().filename();
      if (name.starts_with(prefix)) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  static std::string digits(std::uint64_t epoch) {
    const std::string text = std::to_string(epoch);
    return std::string(20 - text.size(), '0') + text;
  }

  ScratchDirectory directory_;
};

TEST_F(FileWitnessTest, IsPrivateAndTheSameForAllWhoOpenIt) {
  const auto one = opened(path());
  const auto two = opened(path());
  EXPECT_EQ(one->read().view->witness, two->read().view->witness);
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(file("witness.id").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(FileWitnessTest, KeepsTheLastSixteenEpochs) {
  const auto witness = opened(path());
  for (std::uint64_t epoch = 1; epoch <= 20; ++epoch) {
    auto current = configuration(epoch, member(1, 1), {}, Lsn{epoch});
    ASSERT_EQ(witness->propose(current).outcome, Outcome::won);
    current.floor.lsn.value += 1;
    ASSERT_TRUE(witness->raise_floor(current).has_value());
  }
  const auto epochs = files("epoch.");
  ASSERT_EQ(epochs.size(), 16u);
  EXPECT_EQ(epochs.front(), "epoch." + digits(5));
  EXPECT_EQ(files("floor.").size(), 16u);
  EXPECT_EQ(files("prepared.").size(), 1u) << "one is ready for the next proposal";
}

TEST_F(FileWitnessTest, AnAdoptionTakesTheNameThatAProposalWouldTake) {
  // So that of a proposal and an adoption that began with the same view one wins.
  const auto witness = opened(path());
  ASSERT_EQ(witness->propose(configuration(1, member(1, 1))).outcome, Outcome::won);
  const WitnessView refused = *witness->read().view;
  std::unique_ptr<Witness> faster;
  bool once = false;
  const auto slow = opened(path(), [&](std::string_view step) {
    if (step != "link epoch" || std::exchange(once, true)) return 0;
    EXPECT_EQ(faster->adopt(refused, configuration(7, member(2, 1))).outcome, Outcome::won);
    return 0;
  });
  faster = opened(path());
  EXPECT_EQ(slow->propose(configuration(2, member(3, 1))).outcome, Outcome::lost);
  EXPECT_EQ(files("epoch.").back(), "epoch." + digits(2));
  EXPECT_EQ(opened(path())->read().view->configuration, configuration(7, member(2, 1)));

  once = false;
  const auto late = opened(path(), [&](std::string_view step) {
    if (step != "link epoch" || std::exchange(once, true)) return 0;
    EXPECT_EQ(faster->propose(configuration(8, member(2, 1))).outcome, Outcome::won);
    return 0;
  });
  const WitnessView again = *late->read().view;
  EXPECT_EQ(late->adopt(again, configuration(12, member(3, 1))).outcome, Outcome::lost);
  EXPECT_EQ(opened(path())->read().view->configuration.epoch, Epoch{8});
}

TEST_F(FileWitnessTest, AnAdoptionUnderAnotherNameIsDamage) {
  const auto witness = opened(path());
  ASSERT_EQ(witness->adopt(*witness->read().view, configuration(7, member(2, 1))).outcome, Outcome::won);
  std::filesystem::copy_file(file("epoch." + digits(1)), file("epoch." + digits(3)));
  EXPECT_EQ(witness->read().outcome, Outcome::in_doubt);
  EXPECT_THAT(witness->read().text, HasSubstr("damaged"));
}

TEST_F(FileWitnessTest, LeavesNoPreparedFilesBehind) {
  opened(path()).reset();
  EXPECT_EQ(files("prepared.").size(), 0u);
}

TEST_F(FileWitnessTest, IsReadableText) {
  const auto witness = opened(path());
  ASSERT_EQ(witness->propose(configuration(1, member(1, 1), member(2, 2), Lsn{7})).outcome, Outcome::won);
  std::ifstream stream(file("epoch." + digits(1)));
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_THAT(text, HasSubstr("\nepoch 1\nprimary 01000000000000000000000000000000 01000"));
  EXPECT_THAT(text, HasSubstr("\nfloor 7 07"));
}

// --- Damage is told, and never taken for absence.

class DamagedFile : public FileWitnessTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    const auto witness = opened(path());
    auto current = configuration(1, member(1, 1), {}, Lsn{5});
    ASSERT_EQ(witness->propose(current).outcome, Outcome::won);
    current.floor.lsn.value = 9;
    ASSERT_TRUE(witness->raise_floor(current).has_value());
  }
};

TEST_P(DamagedFile, IsNamed) {
  const auto damaged = file(GetParam());
  std::string whole;
  {
    std::ifstream stream(damaged, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(stream), {});
  }
  ASSERT_FALSE(whole.empty());
  const auto witness = opened(path());
  std::vector<std::string> versions = {"", whole.substr(0, whole.size() / 2), whole + "x",
                                       std::string(100000, 'x'), std::string(whole.size(), '\0')};
  for (std::size_t i = 0; i < whole.size(); i += 7) {
    versions.push_back(whole);
    versions.back()[i] = static_cast<char>(versions.back()[i] ^ 1);
  }
  for (const std::string& version : versions) {
    std::ofstream(damaged, std::ios::binary | std::ios::trunc) << version;
    const auto reopened = open_file_witness(path());
    ASSERT_FALSE(reopened.has_value());
    EXPECT_THAT(reopened.error().text, HasSubstr(damaged.string()));
    EXPECT_THAT(reopened.error().text, HasSubstr("order 'pollux witness adopt'"));
    if (GetParam() == "witness.id") continue;  // read once
    const auto read = witness->read();
    EXPECT_EQ(read.outcome, Outcome::in_doubt);
    EXPECT_THAT(read.text, HasSubstr(damaged.string()));
    EXPECT_EQ(witness->propose(configuration(2, member(2, 1))).outcome, Outcome::in_doubt);
    EXPECT_FALSE(witness->raise_floor(configuration(1, member(1, 1), {}, Lsn{50})).has_value());
  }
  std::ofstream(damaged, std::ios::binary | std::ios::trunc) << whole;
  EXPECT_EQ(opened(path())->read().outcome, Outcome::read);
}
INSTANTIATE_TEST_SUITE_P(Each, DamagedFile,
                         ::testing::Values("witness.id", "epoch.00000000000000000001",
                                           "floor.00000000000000000001"));

TEST_F(FileWitnessTest, WithoutItsNewestFileItKnowsTheEpochBefore) {
  // What an operator does who moves a damaged file away: it is then a witness that went back in time.
  const auto witness = opened(path());
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
    ASSERT_EQ(witness->propose(configuration(epoch, member(1, 1), {}, Lsn{epoch})).outcome, Outcome::won);
  }
  const WitnessView before = *witness->read().view;
  std::filesystem::rename(file("epoch." + digits(3)), directory_.path() / "elsewhere");
  const auto seen = opened(path())->read();
  ASSERT_TRUE(seen.view.has_value());
  EXPECT_EQ(seen.view->witness, before.witness);
  EXPECT_EQ(seen.view->configuration.epoch, Epoch{2});
  EXPECT_LT(seen.view->revision, before.revision);
}

// --- Another directory in its place: a copy that is put back.

class Restored : public FileWitnessTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(opened(path())->propose(configuration(1, member(1, 1))).outcome, Outcome::won);
    ASSERT_EQ(opened(path())->propose(configuration(2, member(1, 1), member(2, 1))).outcome, Outcome::won);
    copy();
  }
  void copy() { std::filesystem::copy(path(), kept(), std::filesystem::copy_options::recursive); }
  void put_back() {
    std::filesystem::remove_all(path());
    std::filesystem::copy(kept(), path(), std::filesystem::copy_options::recursive);
  }
  [[nodiscard]] std::filesystem::path kept() const { return directory_.path() / "kept"; }
};

TEST_F(Restored, IsReadAtTheNextCall) {
  const auto witness = opened(path());
  ASSERT_EQ(witness->propose(configuration(3, member(2, 1))).outcome, Outcome::won);
  put_back();
  EXPECT_EQ(witness->read().view->configuration.epoch, Epoch{2});
  EXPECT_EQ(witness->propose(configuration(3, member(1, 1))).outcome, Outcome::won);
  EXPECT_EQ(opened(path())->read().view->configuration, configuration(3, member(1, 1)));
}

TEST_F(Restored, IsNotChangedByACallThatHungSinceBefore) {
  for (const std::string_view hangs_at : {"write content", "link epoch"}) {
    for (const bool adopts : {false, true}) {
      bool once = false;
      const auto frozen = opened(path(), [&](std::string_view step) {
        if (step == hangs_at && !std::exchange(once, true)) put_back();
        return 0;
      });
      std::filesystem::remove_all(kept());
      copy();  // its prepared file included
      const WitnessView refused = *frozen->read().view;
      const auto answer =
          adopts ? frozen->adopt(refused, configuration(7, member(2, 1))) : frozen->propose(configuration(3, member(2, 1)));
      EXPECT_TRUE(once);
      EXPECT_NE(answer.outcome, Outcome::won);
      EXPECT_EQ(opened(path())->read().view->configuration.epoch, Epoch{2});
      // It is of use again at once.
      EXPECT_EQ(frozen->read().view->configuration.epoch, Epoch{2});
    }
  }
}

TEST_F(Restored, DoesNotTakeAFloorOfACallThatHungSinceBefore) {
  bool once = false;
  const auto frozen = opened(path(), [&](std::string_view step) {
    if (step == "rename floor" && !std::exchange(once, true)) put_back();
    return 0;
  });
  static_cast<void>(frozen->raise_floor(configuration(2, member(1, 1), member(2, 1), Lsn{50})));
  EXPECT_TRUE(once);
  EXPECT_EQ(opened(path())->read().view->configuration.floor.lsn, Lsn{0});
}

TEST_F(Restored, NotAtAllIsToldAndNothingIsMadeAnew) {
  const auto witness = opened(path());
  std::filesystem::remove_all(path());
  EXPECT_EQ(witness->read().outcome, Outcome::in_doubt);
  EXPECT_THAT(witness->read().text, HasSubstr("are gone"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(FileWitnessTest, ALostIdIsNotMadeAnew) {
  ASSERT_EQ(opened(path())->propose(configuration(1, member(1, 1))).outcome, Outcome::won);
  std::filesystem::remove(file("witness.id"));
  const auto reopened = open_file_witness(path());
  ASSERT_FALSE(reopened.has_value());
  EXPECT_EQ(reopened.error().code, Code::damaged);
  EXPECT_THAT(reopened.error().text, HasSubstr("move all files of " + path().string()));
}

TEST_F(FileWitnessTest, AStrangersFileAmongTheEpochsIsNamed) {
  const auto witness = opened(path());
  std::ofstream(file("epoch.1~")) << "x";
  EXPECT_THAT(witness->read().text, HasSubstr("epoch.1~"));
  EXPECT_EQ(witness->propose(configuration(1, member(1, 1))).outcome, Outcome::in_doubt);
}

TEST_F(FileWitnessTest, NoticesThatItsFilesAreGone) {
  const auto witness = opened(path());
  ASSERT_EQ(witness->propose(configuration(1, member(1, 1))).outcome, Outcome::won);
  for (const auto& entry : std::filesystem::directory_iterator(path())) std::filesystem::remove(entry);
  EXPECT_EQ(witness->read().outcome, Outcome::in_doubt);
  EXPECT_EQ(witness->propose(configuration(1, member(2, 1))).outcome, Outcome::in_doubt);
}

TEST_F(FileWitnessTest, CantBeAFile) {
  std::ofstream(path()) << "x";
  const auto witness = open_file_witness(path());
  ASSERT_FALSE(witness.has_value());
  EXPECT_THAT(witness.error().text, HasSubstr(path().string()));
}

// --- Nth failure: every step on the disk fails once.

/// Runs `act` with the 1st, 2nd, ... step failing, until a run has no more steps. Returns how many there
/// were.
int with_each_step_failing(int error, const std::function<void(const WitnessStep&, int nth)>& act) {
  for (int nth = 1;; ++nth) {
    int count = 0;
    act([&](std::string_view) { return ++count == nth ? error : 0; }, nth);
    if (count < nth) return nth - 1;
    if (nth > 1000) return nth;
  }
}

TEST_F(FileWitnessTest, AProposalWithAFailingStepIsInDoubtOrCertain) {
  std::uint64_t epoch = 0;
  opened(path()).reset();
  const int steps = with_each_step_failing(EIO, [&](const WitnessStep& step, int nth) {
    SCOPED_TRACE("step " + std::to_string(nth));
    auto failing = std::make_shared<bool>(false);
    const auto witness =
        opened(path(), [&step, failing](std::string_view name) { return *failing ? step(name) : 0; });
    ASSERT_NE(witness, nullptr);
    *failing = true;
    const auto next = configuration(epoch + 1, member(1, static_cast<std::uint8_t>(nth)));
    const auto answer = witness->propose(next);
    *failing = false;
    ASSERT_NE(answer.outcome, Outcome::lost);
    // Another process sees a whole configuration, and the same as was said.
    const auto read = opened(path())->read();
    ASSERT_EQ(read.outcome, Outcome::read) << read.text;
    if (answer.outcome == Outcome::won) {
      ASSERT_EQ(read.view->configuration, next);
    } else {
      ASSERT_NE(answer.text, "");
      ASSERT_TRUE(read.view->configuration == next || read.view->configuration.epoch.value == epoch);
    }
    epoch = read.view->configuration.epoch.value;
  });
  EXPECT_GE(steps, 5);
}

TEST_F(FileWitnessTest, AFloorWithAFailingStepIsTheOldOneOrTheNew) {
  auto current = configuration(1, member(1, 1), {}, Lsn{1});
  ASSERT_EQ(opened(path())->propose(current).outcome, Outcome::won);
  const int steps = with_each_step_failing(ENOSPC, [&](const WitnessStep& step, int nth) {
    SCOPED_TRACE("step " + std::to_string(nth));
    auto failing = std::make_shared<bool>(false);
    const auto witness =
        opened(path(), [&step, failing](std::string_view name) { return *failing ? step(name) : 0; });
    *failing = true;
    auto raised = current;
    raised.floor.lsn.value += 1;
    const auto result = witness->raise_floor(raised);
    *failing = false;
    const auto read = opened(path())->read();
    ASSERT_EQ(read.outcome, Outcome::read) << read.text;
    const Lsn floor = read.view->configuration.floor.lsn;
    ASSERT_TRUE(floor == raised.floor.lsn || (!result && floor == current.floor.lsn));
    if (!result) {
      ASSERT_EQ(result.error().code, Code::disk_full) << result.error().text;
    }
    current = read.view->configuration;
  });
  EXPECT_GE(steps, 4);
}

TEST_F(FileWitnessTest, OpeningWithAFailingStepCanBeRepeated) {
  int number = 0;
  with_each_step_failing(EIO, [&](const WitnessStep& step, int nth) {
    const auto directory = directory_.path() / ("open" + std::to_string(number++));
    SCOPED_TRACE("step " + std::to_string(nth));
    const auto first = open_file_witness(directory, step);
    if (!first) {
      EXPECT_THAT(first.error().text, HasSubstr("open"));
    }
    EXPECT_EQ(opened(directory)->propose(configuration(1, member(1, 1))).outcome, Outcome::won);
  });
}

TEST_F(FileWitnessTest, ATakeoverOnAFullDiskWorksOnce) {
  bool full = false;
  const auto witness = opened(path(), [&](std::string_view step) {
    return full && (step == "make prepared file" || step == "write prepared file") ? ENOSPC : 0;
  });
  full = true;
  EXPECT_EQ(witness->propose(configuration(1, member(1, 1))).outcome, Outcome::won)
      << "the file was prepared";
  const auto second = witness->propose(configuration(2, member(1, 1)));
  EXPECT_EQ(second.outcome, Outcome::in_doubt);
  EXPECT_THAT(second.text, HasSubstr("No space left"));
  full = false;
  EXPECT_EQ(witness->propose(configuration(2, member(1, 1))).outcome, Outcome::won);
}

TEST_F(FileWitnessTest, AFailedDirectorySyncIsNotRetriedAsIfNothingHadHappened) {
  bool failing = false;
  const auto witness =
      opened(path(), [&](std::string_view step) { return failing && step == "sync directory" ? EIO : 0; });
  failing = true;
  EXPECT_EQ(witness->propose(configuration(1, member(1, 1))).outcome, Outcome::in_doubt);
  failing = false;
  EXPECT_EQ(witness->read().outcome, Outcome::in_doubt);
  EXPECT_EQ(witness->propose(configuration(1, member(1, 1))).outcome, Outcome::in_doubt);
  EXPECT_THAT(witness->read().text, HasSubstr("restart this member"));
}

// --- A process that dies at any step.

TEST_F(FileWitnessTest, ACrashAtAnyStepLeavesAReadableWitness) {
  opened(path()).reset();
  std::uint64_t epoch = 0;
  int crashes = 0;
  for (int nth = 1; nth < 100; ++nth) {
    SCOPED_TRACE("step " + std::to_string(nth));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int count = 0;
      auto witness = open_file_witness(path(), [&](std::string_view) {
        if (++count == nth) ::_exit(17);
        return 0;
      });
      auto next = configuration(epoch + 1, member(1, static_cast<std::uint8_t>(nth)), {}, Lsn{epoch + 1});
      static_cast<void>((*witness)->propose(next));
      next.floor.lsn.value += 1;
      static_cast<void>((*witness)->raise_floor(next));
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const auto read = opened(path())->read();
    ASSERT_EQ(read.outcome, Outcome::read) << read.text;
    const Configuration& stands = read.view->configuration;
    ASSERT_TRUE(stands.epoch.value == epoch || stands.primary == member(1, static_cast<std::uint8_t>(nth)));
    epoch = stands.epoch.value;
    if (WEXITSTATUS(status) == 0) break;
    ASSERT_EQ(WEXITSTATUS(status), 17);
    ++crashes;
  }
  EXPECT_GE(crashes, 12);
  EXPECT_GT(epoch, 3u);
}

TEST_F(FileWitnessTest, OfManyProcessesExactlyOneWinsEachEpoch) {
  constexpr int processes = 6;
  constexpr std::uint64_t epochs = 15;
  int ready[2];
  int go[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(go), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(go[1]);
      // Opening races too: one witness id for all.
      auto witness = open_file_witness(path());
      if (!witness) ::_exit(100);
      char byte = 'r';
      if (::write(ready[1], &byte, 1) != 1) ::_exit(101);
      static_cast<void>(!::read(go[0], &byte, 1));  // ends when the parent closes
      int wins = 0;
      for (std::uint64_t epoch = 1; epoch <= epochs; ++epoch) {
        const auto next = configuration(epoch, member(static_cast<std::uint8_t>(i + 1), 1));
        const auto answer = (*witness)->propose(next);
        if (answer.outcome == Outcome::in_doubt) ::_exit(102);
        if (answer.outcome == Outcome::won) ++wins;
        if (answer.outcome == Outcome::lost && answer.view->configuration.epoch.value < epoch) ::_exit(103);
      }
      ::_exit(wins);
    }
    children.push_back(child);
  }
  char byte = 0;
  for (int i = 0; i < processes; ++i) ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(go[1]);
  int wins = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_LT(WEXITSTATUS(status), 100);
    wins += WEXITSTATUS(status);
  }
  for (const int fd : {ready[0], ready[1], go[0]}) ::close(fd);
  // An epoch's winner may learn it only after somebody took the next one: then it hears `lost`, never the
  // reverse.
  EXPECT_LE(wins, static_cast<int>(epochs));
  EXPECT_GE(wins, 1);
  const auto read = opened(path())->read();
  EXPECT_EQ(read.view->configuration.epoch, Epoch{epochs});
  EXPECT_EQ(files("epoch.").size(), epochs);
}

TEST_F(FileWitnessTest, OfManyProcessesOneWinsASingleEpoch) {
  for (int round = 0; round < 10; ++round) {
    const auto directory = directory_.path() / ("round" + std::to_string(round));
    opened(directory).reset();
    int go[2];
    ASSERT_EQ(::pipe(go), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i) {
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        ::close(go[1]);
        auto witness = open_file_witness(directory);
        char byte = 0;
        static_cast<void>(!::read(go[0], &byte, 1));
        const auto answer =
            (*witness)->propose(configuration(1, member(static_cast<std::uint8_t>(i + 1), 1)));
        ::_exit(answer.outcome == Outcome::won ? 1 : answer.outcome == Outcome::lost ? 0 : 100);
      }
      children.push_back(child);
    }
    ::close(go[1]);
    ::close(go[0]);
    int wins = 0;
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_LT(WEXITSTATUS(status), 100);
      wins += WEXITSTATUS(status);
    }
    ASSERT_EQ(wins, 1);
  }
}

}  // namespace
}  // namespace pollux::testing
