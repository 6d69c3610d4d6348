// Opening audit files: what is refused, and with what words.
#include <gmock/gmock.h>
#include <lmdb.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "audit_tools.h"
#include "lmdb_env.h"
#include "lmdb_pages.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

class FilesTest : public ::testing::Test {
 protected:
  TempDir directory_;
  std::filesystem::path trail_ = directory_ / "deep/below/trail";
};

TEST_F(FilesTest, DirectoriesAreMadeForTheirOwnerOnly) {
  ASSERT_NE(open_trail(trail_), nullptr);
  struct stat found{};
  ASSERT_EQ(::stat(trail_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
  ASSERT_EQ(::stat((trail_ / "data.mdb").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
}

TEST_F(FilesTest, ATrailIsOpenOnceOnly) {
  auto trail = open_trail(trail_);
  const auto again = open_lmdb_trail({.directory = trail_});
  EXPECT_EQ(code_of(again), Code::in_use);
  EXPECT_THAT(again.error().text, HasSubstr("in use"));
  RecordMaker maker;
  EXPECT_OK(trail->append(maker.some(1)));
  trail.reset();
  EXPECT_NE(open_trail(trail_), nullptr);
}

TEST_F(FilesTest, TablesAreNoTrail) {
  open_tables(trail_).reset();
  const auto refused = open_lmdb_trail({.directory = trail_});
  EXPECT_EQ(code_of(refused), Code::unsupported);
  EXPECT_THAT(refused.error().text, HasSubstr("\"pollux tables 1\""));
}

TEST_F(FilesTest, AnotherVersionsFormatIsRefused) {
  {
    auto env = LmdbEnv::open(
        {.directory = trail_, .what = "audit trail", .format = "pollux trail 2", .map_bytes = 1 << 30});
    ASSERT_OK(env);
  }
  const auto refused = open_lmdb_trail({.directory = trail_});
  EXPECT_EQ(code_of(refused), Code::unsupported);
  EXPECT_THAT(refused.error().text, HasSubstr("pollux trail 2"));
}

TEST_F(FilesTest, SomebodyElsesLmdbIsRefusedAndLeftAlone) {
  std::filesystem::create_directories(trail_);
  MDB_env* env = nullptr;
  ASSERT_EQ(mdb_env_create(&env), 0);
  ASSERT_EQ(mdb_env_open(env, trail_.c_str(), 0, 0600), 0);
  MDB_txn* txn = nullptr;
  ASSERT_EQ(mdb_txn_begin(env, nullptr, 0, &txn), 0);
  MDB_dbi dbi = 0;
  ASSERT_EQ(mdb_dbi_open(txn, nullptr, 0, &dbi), 0);
  MDB_val key = to_val("their key");
  MDB_val value = to_val("their value");
  ASSERT_EQ(mdb_put(txn, dbi, &key, &value, 0), 0);
  ASSERT_EQ(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
  const auto before = contents(trail_ / "data.mdb");
  EXPECT_FALSE(open_lmdb_trail({.directory = trail_}));
  EXPECT_EQ(contents(trail_ / "data.mdb"), before);
}

TEST_F(FilesTest, GarbageIsRefusedInOneSentence) {
  std::filesystem::create_directories(trail_);
  for (const std::string& garbage :
       {std::string("x"), std::string(100'000, '\xa5'), std::string(8192, '\0')}) {
    std::ofstream(trail_ / "data.mdb", std::ios::trunc) << garbage;
    const auto refused = open_lmdb_trail({.directory = trail_});
    EXPECT_EQ(code_of(refused), Code::damaged);
    EXPECT_THAT(refused.error().text, HasSubstr("move this member's whole directory away"));
    EXPECT_THAT(refused.error().text, ::testing::Not(HasSubstr("\n")));
  }
}

TEST_F(FilesTest, AFileInTheWayIsNamed) {
  std::ofstream(directory_ / "deep") << "a file";
  const auto refused = open_lmdb_trail({.directory = trail_});
  EXPECT_EQ(code_of(refused), Code::io_error);
  EXPECT_THAT(refused.error().text, HasSubstr("deep"));
}

TEST_F(FilesTest, ATrailThatWasCutOffIsRefused) {
  RecordMaker maker;
  {
    auto trail = open_trail(trail_);
    ASSERT_OK(trail->append(maker.some(1000)));
  }
  const auto size = std::filesystem::file_size(trail_ / "data.mdb");
  std::filesystem::resize_file(trail_ / "data.mdb", size / 2);
  const auto refused = open_lmdb_trail({.directory = trail_});
  EXPECT_EQ(code_of(refused), Code::damaged);
  EXPECT_THAT(refused.error().text, HasSubstr("cut off"));
}

TEST_F(FilesTest, PrefillWritesTheFileOnce) {
  RecordMaker maker;
  {
    auto trail = open_lmdb_trail({.directory = trail_, .prefill_bytes = 3'000'000});
    ASSERT_OK(trail);
    struct stat found{};
    ASSERT_EQ(::stat((trail_ / "data.mdb").c_str(), &found), 0);
    EXPECT_EQ(found.st_size, 3'000'000);
    EXPECT_GE(found.st_blocks * 512, 2'900'000);
    ASSERT_OK((*trail)->append(maker.some(1000)));
    EXPECT_LT((*trail)->stats().bytes_used, 1'000'000U);
    EXPECT_EQ(std::filesystem::file_size(trail_ / "data.mdb"), 3'000'000U);
  }
  auto trail = open_trail(trail_);
  EXPECT_EQ(trail->last(), maker.last());
}

TEST_F(FilesTest, AMapTooSmallIsFullInPlainWords) {
  auto trail = open_lmdb_trail({.directory = trail_, .map_bytes = 1});
  ASSERT_OK(trail);
  RecordMaker maker;
  Result<void> appended;
  for (int i = 0; i < 100 && appended; ++i) appended = (*trail)->append(maker.some(10, 100'000));
  EXPECT_EQ(code_of(appended), Code::disk_full);
  EXPECT_THAT(appended.error().text, HasSubstr("address space"));
}

// A plain program, because sanitizers need all the address space there is.
TEST_F(FilesTest, PagesOfARealTrailPassTheirCheck) {
  RecordMaker maker;
  auto trail = open_trail(trail_);
  for (int i = 0; i < 50; ++i) {
    ASSERT_OK(trail->append(maker.some(37, static_cast<std::size_t>(i * i * 3))));
    ASSERT_OK(trail->drop_below(Lsn{maker.last().lsn.value - 300}, 100));
    ASSERT_OK(trail->store_state({}));
    ASSERT_OK(check_lmdb_pages(trail_ / "data.mdb"));
  }
}

}  // namespace
}  // namespace pollux::testing
