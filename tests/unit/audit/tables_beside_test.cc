// Tables read by another process than the one that writes them.
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>

#include "audit_tools.h"

namespace pollux::testing {
namespace {

/// A process beside this one, made before this one opens anything: told to go on, it does the next of `steps` and
/// answers with a number.
class Beside {
 public:
  using Step = std::function<std::uint64_t()>;
  explicit Beside(const std::function<std::vector<Step>()>& make_steps) {
    if (::pipe(orders_.data()) != 0 || ::pipe(answers_.data()) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::close(orders_[1]);
    char order = 0;
    const auto steps = make_steps();  // what they hold stays open
    for (const Step& step : steps) {
      if (::read(orders_[0], &order, 1) != 1) ::_exit(0);
      const std::uint64_t answer = step();
      if (::write(answers_[1], &answer, sizeof answer) != sizeof answer) ::_exit(1);
    }
    while (::read(orders_[0], &order, 1) == 1) {
    }
    ::_exit(0);
  }
  ~Beside() {
    kill();
    for (const int fd : {orders_[0], orders_[1], answers_[0], answers_[1]}) ::close(fd);
  }
  std::uint64_t next() {
    EXPECT_EQ(::write(orders_[1], "g", 1), 1);
    std::uint64_t answer = 0;
    pollfd waiting{answers_[0], POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 30'000), 1) << "the process beside does not answer";
    EXPECT_EQ(::read(answers_[0], &answer, sizeof answer), static_cast<ssize_t>(sizeof answer));
    return answer;
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  std::array<int, 2> orders_{}, answers_{};
  pid_t pid_ = 0;
};

std::uint64_t number_of(const Result<std::optional<std::string>>& row) {
  return row && *row ? std::stoull(**row) : 0;
}

TEST(TablesBeside, ShowWhatIsAppliedAndEachViewOneState) {
  const TempDir directory;
  const auto path = directory / "tables";
  Beside beside([&] {
    struct Reader {
      std::unique_ptr<TablesBeside> tables;
      std::unique_ptr<TablesView> view;
    };
    auto reader = std::make_shared<Reader>();
    return std::vector<Beside::Step>{
        [&path, reader] {
          reader->tables = open_lmdb_tables_beside(path).value();
          reader->view = reader->tables->view().value();
          return number_of(reader->view->get("row"));
        },
        [reader] { return number_of(reader->view->get("row")); },
        [reader] {
          reader->view = reader->tables->view().value();
          return number_of(reader->view->get("row")) * 100 + reader->view->applied().value;
        }};
  });
  RecordMaker maker;
  auto tables = open_lmdb_tables({.directory = path});
  ASSERT_OK(tables);
  ASSERT_OK((*tables)->apply({{maker.put("row", "7")}}));
  EXPECT_EQ(beside.next(), 7U);
  ASSERT_OK((*tables)->apply({{maker.put("row", "8")}}));
  EXPECT_EQ(beside.next(), 7U) << "a view shows one state";
  EXPECT_EQ(beside.next(), 802U);
}

TEST(TablesBeside, AreRefusedWhileASnapshotMakesThemAnew) {
  const TempDir directory;
  const auto path = directory / "tables";
  Beside beside([&] {
    return std::vector<Beside::Step>{[&path] {
      const auto view = open_lmdb_tables_beside(path).value()->view();
      return static_cast<std::uint64_t>(view ? Code::ok : view.error().code);
    }};
  });
  RecordMaker maker;
  auto tables = open_lmdb_tables({.directory = path});
  ASSERT_OK(tables);
  ASSERT_OK((*tables)->apply({{maker.put("row", "7")}}));
  ASSERT_OK((*tables)->begin_snapshot());
  EXPECT_EQ(static_cast<Code>(beside.next()), Code::busy);
}

TEST(TablesBeside, OfAKilledProcessKeepNoOldPages) {
  const TempDir directory;
  const auto path = directory / "tables";
  Beside beside([&] {
    auto tables = std::make_shared<std::unique_ptr<TablesBeside>>();
    auto view = std::make_shared<std::unique_ptr<TablesView>>();
    return std::vector<Beside::Step>{[&path, tables, view] {
      *tables = open_lmdb_tables_beside(path).value();
      *view = (*tables)->view().value();
      return std::uint64_t{1};
    }};
  });
  RecordMaker maker;
  auto tables = open_lmdb_tables({.directory = path});
  ASSERT_OK(tables);
  const auto rewrite = [&](int times) {
    for (int i = 0; i < times; ++i) {
      std::vector<RecordPtr> records;
      for (int row = 0; row < 50; ++row)
        records.push_back(maker.put("row " + std::to_string(row), std::string(10'000, static_cast<char>('a' + i % 26))));
      ASSERT_OK((*tables)->apply(records));
    }
  };
  const auto size = [&] { return std::filesystem::file_size(path / "data.mdb"); };
  rewrite(4);
  ASSERT_EQ(beside.next(), 1U);
  const auto before = size();
  rewrite(10);
  EXPECT_GT(size(), before + 4'000'000) << "an open view keeps what it sees";
  beside.kill();
  const auto at_death = size();
  rewrite(20);
  EXPECT_LT(size(), at_death + 2'000'000) << "the pages that a dead process saw are used again";
}

TEST(TablesBeside, WithoutTablesThereIsNothingToOpen) {
  const TempDir directory;
  const auto opened = open_lmdb_tables_beside(directory / "nothing");
  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().text, ::testing::HasSubstr("nothing"));
}

}  // namespace
}  // namespace pollux::testing
