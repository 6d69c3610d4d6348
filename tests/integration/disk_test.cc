// Disks that fail, hang or are full (I11): the member whose disk it is stops at once and says why, callers go
// on with the other, and it comes back when its disk is well again.
#include <gmock/gmock.h>

#include "faults/faults.h"
#include "integration/http_client.h"
#include "integration/loop_disk.h"
#include "integration/pair_under_test.h"
#include "pollux/services/node.h"

namespace pollux::testing {
namespace {

class DiskTest : public PairUnderTest {
 protected:
  void start_with_faults() {
    home_ = std::move(*TemporaryDirectory::make(std::filesystem::temp_directory_path(), "pollux-disk-"));
    faults_ = std::make_unique<DiskFaults>(home_->path() / "control");
    start(faults_->environment());
    if (!HasFatalFailure()) start_load();
  }
  void TearDown() override {
    if (faults_) faults_->clear();
    PairUnderTest::TearDown();
  }

  [[nodiscard]] const std::filesystem::path& directory(std::size_t member) {
    return pair().pair().members[member].directory;
  }
  // The other one serves alone, in an epoch of its own.
  void wait_for_the_other_alone(std::size_t member, std::uint64_t epoch) {
    wait_until("the other member to serve alone", [&] {
      const auto other = pair().status(1 - member);
      return other && other->role == "primary" && other->serving && other->solo && other->epoch > epoch;
    });
    wait_for_answers();
  }
  // Does harm to a member's disk, and expects callers to go on, the member to say why it stopped, and to come
  // back.
  void harm(std::size_t member, DiskOperation operation, DiskFault fault,
            const std::vector<std::string>& words) {
    const auto before = status(member);
    faults_->set(operation, fault, directory(member));
    wait_for_the_other_alone(member, before.epoch);
    EXPECT_TRUE(said(words)) << "the member must say why it stopped";
    faults_->clear();
    wait_in_sync();
    EXPECT_NE(status(member).run, before.run)
        << "a member whose disk failed must not go on as if nothing had been";
    check_everything();
  }

  std::unique_ptr<TemporaryDirectory> home_;
  std::unique_ptr<DiskFaults> faults_;
};

TEST_F(DiskTest, APrimaryWhoseFlushFailsStopsAndTheBackupTakesOver) {
  start_with_faults();
  harm(primary(), DiskOperation::flush, DiskFault::io_error, {"Input/output error"});
}

TEST_F(DiskTest, ABackupWhoseFlushFailsStopsAndThePrimaryGoesOnSolo) {
  start_with_faults();
  harm(1 - primary(), DiskOperation::flush, DiskFault::io_error, {"Input/output error"});
}

TEST_F(DiskTest, APrimaryWhoseFlushHangsIsReplacedWithinTheForceLimit) {
  start_with_faults();
  harm(primary(), DiskOperation::flush, DiskFault::hang, {"force_limit"});
}

TEST_F(DiskTest, ABackupWhoseFlushHangsIsLeftBehind) {
  start_with_faults();
  harm(1 - primary(), DiskOperation::flush, DiskFault::hang, {"force_limit"});
}

TEST_F(DiskTest, APrimaryThatCantWriteForLackOfSpaceStopsAndTheBackupTakesOver) {
  start_with_faults();
  harm(primary(), DiskOperation::write, DiskFault::no_space, {"disk is full"});
}

// A real file system that is full to the last byte, below one member.
class FullDiskTest : public PairUnderTest, public ::testing::WithParamInterface<bool> {
 protected:
  static constexpr unsigned disk_mib = 96;
};

TEST_P(FullDiskTest, CallersGoOnAndNothingIsLost) {
  const bool below_primary = GetParam();
  const auto home =
      std::move(*TemporaryDirectory::make(std::filesystem::temp_directory_path(), "pollux-disk-"));
  auto disk = LoopDisk::make(home->path(), disk_mib);
  if (!disk) {
    // Not root, or no loop devices: the preloaded library plays the full disk (the test above), and we say
    // so.
    std::cout << "no file system can be mounted here (" << disk.error().text
              << "): the full disk is played by fault injection\n";
    DiskFaults faults(home->path() / "control");
    start(faults.environment());
    start_load();
    const auto member = below_primary ? primary() : 1 - primary();
    faults.set(DiskOperation::write, DiskFault::no_space, pair().pair().members[member].directory);
    wait_until("the other member to serve alone", [&] {
      const auto other = pair().status(1 - member);
      return other && other->role == "primary" && other->serving && other->solo;
    });
    faults.clear();
    check_everything();
    return;
  }
  start({}, "directory = \"" + ((*disk)->path() / "a").string() + "\"\n");
  start_load();
  if (HasFatalFailure()) return;
  // Member a has the small disk: bring it into the role that is to be tested.
  const bool a_is_primary = primary() == 0;
  if (a_is_primary != below_primary) {
    kill_member(primary());
    wait_in_sync();
    ASSERT_EQ(primary() == 0, below_primary);
  }
  const auto epoch = status(1).epoch;
  (*disk)->fill();
  wait_until("member b to serve alone", [&] {
    const auto b = pair().status(1);
    return b && b->role == "primary" && b->serving && b->epoch > epoch;
  });
  wait_for_answers();
  (*disk)->make_room();
  wait_in_sync();
  check_everything();
  pair_.reset();  // before the disk
}

INSTANTIATE_TEST_SUITE_P(Below, FullDiskTest, ::testing::Values(true, false),
                         [](const auto& below) { return below.param ? "ThePrimary" : "TheBackup"; });

// A disk that fills up slowly: what frees space is executed out of a reserve, so that users can help themselves.
class FillingDiskTest : public PairUnderTest {
 protected:
  static constexpr auto user = "anna", password = "correct-horse-battery";
  static constexpr unsigned disk_mib = 192;

  static std::string event(const std::string& name) {
    return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:" + name +
           "@test\r\nDTSTAMP:20240101T000000Z\r\nDTSTART:20240101T090000Z\r\nSUMMARY:" + name +
           "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
  }
  std::string gateway() const { return gateway_address(pair_->config(), pair_->config().gateways.front()); }
  int put(const std::string& name) {
    return client_->send("PUT", path(name), event(name), {{"Content-Type", "text/calendar"}}).status;
  }
  int ask(const std::string& method, const std::string& name) {
    return client_->send(method, path(name)).status;
  }
  static std::string path(const std::string& name) {
    return std::string("/dav/calendars/") + user + "/default/" + name + ".ics";
  }
  void wait_for_disk(const std::string& flags) {
    wait_until("the primary to say: " + flags, [&] {
      const auto told = pair().status(0);
      return told && told->json.find(flags) != std::string::npos;
    });
  }

  std::unique_ptr<HttpClient> client_;
};

TEST_F(FillingDiskTest, DeletionsGoOnInTheReserveAndStoringGoesOnWhenThereIsRoom) {
  const auto home =
      std::move(*TemporaryDirectory::make(std::filesystem::temp_directory_path(), "pollux-disk-"));
  auto disk = LoopDisk::make(home->path(), disk_mib);
  if (!disk) GTEST_SKIP() << "no file system can be mounted here: " << disk.error().text;
  start_with({.service = "groupware",
              .pair_settings = "disk_warn_percent = 60\ndisk_full_percent = 70\ndisk_stop_percent = 85\n",
              .more_settings = "[[gateway]]\nlisten = \"127.0.0.1:0\"\n",
              .member_settings_a = "directory = \"" + ((*disk)->path() / "a").string() + "\"\n"});
  if (HasFatalFailure()) return;
  // Member a has the small disk, and is to be primary.
  if (primary() != 0) {
    kill_member(1);
    wait_in_sync();
    ASSERT_EQ(primary(), 0u);
  }
  const auto added = run_pollux({"--config", pair().config_file().string(), "user", "add", user},
                                std::string(password) + "\n");
  ASSERT_EQ(added.exit_code, 0) << added.output;
  wait_until("the gateway to listen", [this] { return !gateway().empty(); });
  client_ = std::make_unique<HttpClient>(gateway(), user, password);
  for (const auto* name : {"one", "two", "three"}) ASSERT_EQ(put(name), 201) << name;

  (*disk)->fill_to(75);
  wait_for_disk("\"disk_full\":true,\"disk_exhausted\":false");
  EXPECT_EQ(put("four"), 507);
  EXPECT_EQ(ask("GET", "one"), 200);
  EXPECT_EQ(ask("DELETE", "one"), 204);
  EXPECT_EQ(ask("GET", "one"), 404);
  EXPECT_EQ(put("one"), 507);

  (*disk)->fill_to(90);
  wait_for_disk("\"disk_full\":true,\"disk_exhausted\":true");
  EXPECT_EQ(ask("DELETE", "two"), 507);
  EXPECT_EQ(ask("GET", "two"), 200);

  (*disk)->make_room();
  wait_for_disk("\"disk_full\":false,\"disk_exhausted\":false");
  EXPECT_EQ(ask("DELETE", "two"), 204);
  EXPECT_EQ(put("four"), 201);
  wait_until("both members to have everything", [this] { return pair().settled(); });
  client_.reset();
  pair_.reset();  // before the disk
}

}  // namespace
}  // namespace pollux::testing
