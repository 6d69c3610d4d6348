#include <gtest/gtest.h>

#include "fake_pair.h"
#include "state/entry_peek.h"
#include "state/rows.h"

namespace pollux::testing {
namespace {

class FindItemsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(service.execute(AddUser{.user = "alice", .display_name = {}, .password_hash = "x"}).code,
              Code::ok);
  }

  static ResourcePath calendar() { return {DavSpace::calendars, "alice", {"default"}}; }
  static ResourcePath item(const std::string& name) {
    return {DavSpace::calendars, "alice", {"default", name}};
  }

  void put(const std::string& name, std::int64_t first_s = 0, std::int64_t last_s = 100,
           const std::string& component = "VEVENT", const std::string& content = "content") {
    const PutItem request{.caller = {"alice", 0},
                          .path = item(name),
                          .when = {},
                          .content = content + name,
                          .content_type = "text/calendar",
                          .uid = "uid-" + name,
                          .component = component,
                          .first_s = first_s,
                          .last_s = last_s};
    const auto reply = service.execute(request);
    ASSERT_EQ(reply.code, Code::ok) << reply.payload;
  }
  void remove(const std::string& name) {
    ASSERT_EQ(service.execute(DeleteResource{.caller = {"alice", 0}, .path = item(name), .when = {}}).code,
              Code::ok);
  }
  template <class Query>
  FoundItems ask(const Query& query) {
    const auto reply = service.query(query);
    EXPECT_EQ(reply.code, Code::ok) << reply.payload;
    auto found = decode_groupware_reply<FoundItems>(reply.payload);
    EXPECT_TRUE(found);
    return found.value_or(FoundItems());
  }
  static std::string names(const FoundItems& found) {
    std::string text;
    for (const auto& one : found.items)
      text += (text.empty() ? "" : " ") + std::string(one.found ? "" : "-") + one.name;
    return text;
  }
  FoundItems changes(std::uint64_t since, std::uint32_t limit = 1000, std::uint64_t collection = 1,
                     std::uint64_t deleted_since = 0) {
    return ask(ListChanges{.caller = {"alice", 0},
                           .path = calendar(),
                           .collection = collection == 1 ? id() : collection,
                           .since = since,
                           .deleted_since = deleted_since,
                           .limit = limit});
  }
  std::uint64_t id() {
    return ask(GetItems{.caller = {"alice", 0}, .path = calendar(), .names = {}}).collection;
  }

  MapService service;
};

TEST_F(FindItemsTest, ItemsByNameComeInTheOrderAsked) {
  put("a.ics");
  put("b.ics");
  GetItems get{
      .caller = {"alice", 0}, .path = calendar(), .names = {"b.ics", "none.ics", "a.ics", "b.ics", ".."}};
  get.with_content = true;
  const auto found = ask(get);
  EXPECT_EQ(names(found), "b.ics -none.ics a.ics b.ics -..");
  EXPECT_EQ(found.items[0].content, "contentb.ics");
  EXPECT_EQ(std::get<ItemInfo>(found.items[2].info).uid, "uid-a.ics");
  EXPECT_FALSE(found.more);
  get.with_content = false;
  EXPECT_EQ(ask(get).items[0].content, "");
}

TEST_F(FindItemsTest, APageOfItemsIsBounded) {
  const std::string large(900'000, 'x');
  for (const char* name : {"1", "2", "3", "4"}) put(name, 0, 1, "VEVENT", large);
  GetItems get{.caller = {"alice", 0}, .path = calendar(), .names = {"1", "2", "3", "4"}};
  get.with_content = true;
  auto found = ask(get);
  EXPECT_TRUE(found.more);
  EXPECT_EQ(names(found), "1 2");
  FindItems find{.caller = {"alice", 0}, .path = calendar()};
  find.with_content = true;
  found = ask(find);
  EXPECT_TRUE(found.more);
  EXPECT_EQ(names(found), "1 2");
  find.after = found.last;
  EXPECT_EQ(names(ask(find)), "3 4");
  find.after = "4";
  EXPECT_EQ(names(ask(find)), "");
}

TEST_F(FindItemsTest, OneThatIsLargerThanAPageStillComes) {
  put("large", 0, 1, "VEVENT", std::string(3'000'000, 'x'));
  put("small");
  FindItems find{.caller = {"alice", 0}, .path = calendar()};
  find.with_content = true;
  const auto found = ask(find);
  EXPECT_EQ(names(found), "large");
  EXPECT_TRUE(found.more);
  find.after = found.last;
  EXPECT_EQ(names(ask(find)), "small");
}

TEST_F(FindItemsTest, ComponentAndTimeNarrowASearch) {
  put("early", -500, 10);
  put("late", 90, 200);
  put("todo", 0, 200, "VTODO");
  FindItems find{.caller = {"alice", 0}, .path = calendar()};
  EXPECT_EQ(names(ask(find)), "early late todo");
  find.component = "VEVENT";
  EXPECT_EQ(names(ask(find)), "early late");
  find.from_s = 11;
  EXPECT_EQ(names(ask(find)), "late");
  find.from_s = 10;
  EXPECT_EQ(names(ask(find)), "early late");
  find.to_s = 89;
  EXPECT_EQ(names(ask(find)), "early");
  find.component.clear();
  EXPECT_EQ(names(ask(find)), "early todo");
  find.from_s = -1000;
  find.to_s = -501;
  EXPECT_EQ(names(ask(find)), "");
}

TEST_F(FindItemsTest, ChangesSinceAnotherAreTold) {
  put("a");
  put("b");
  const auto all = changes(0);
  EXPECT_EQ(names(all), "a b");
  EXPECT_EQ(names(changes(all.change)), "");
  EXPECT_EQ(changes(all.change).change, all.change);
  put("a");
  remove("b");
  put("c");
  const auto since = changes(all.change);
  EXPECT_EQ(names(since), "a -b c");
  remove("c");
  put("b");
  EXPECT_EQ(names(changes(all.change)), "a -c b");
  EXPECT_EQ(names(changes(since.change)), "-c b");
}

TEST_F(FindItemsTest, ChangesComeInPagesUpToWhereTheFirstBegan) {
  for (int i = 0; i < 10; ++i) put("item" + std::to_string(i));
  auto page = changes(0, 4);
  EXPECT_EQ(names(page), "item0 item1 item2 item3");
  EXPECT_TRUE(page.more);
  const std::uint64_t up_to = page.newest;
  put("item9");  // while the pages are fetched: told by the next synchronization
  ListChanges next{.caller = {"alice", 0}, .path = calendar(), .collection = id(), .since = page.change};
  next.up_to = up_to;
  page = ask(next);
  EXPECT_EQ(names(page), "item4 item5 item6 item7 item8");
  EXPECT_FALSE(page.more);
  EXPECT_EQ(page.change, up_to);
  EXPECT_EQ(names(changes(page.change)), "item9");
}

TEST_F(FindItemsTest, ANumberOfAnotherCollectionOrOfTheFutureIsNoToken) {
  put("a");
  const auto refused = [&](std::uint64_t collection, std::uint64_t since) {
    const auto reply = service.query(
        ListChanges{.caller = {"alice", 0}, .path = calendar(), .collection = collection, .since = since});
    const auto refusal = decode_groupware_reply<Refusal>(reply.payload);
    return reply.code == Code::precondition_failed && refusal &&
           refusal->reason == RefusalReason::invalid_token;
  };
  EXPECT_FALSE(refused(id(), 1));
  EXPECT_TRUE(refused(id() + 1, 1));
  EXPECT_TRUE(refused(id(), changes(0).newest + 1));
}

TEST_F(FindItemsTest, WhoBeginsReachesTheEndThoughOldDeletionsAreForgotten) {
  put("kept");
  for (std::size_t i = 0; i < GroupwareLimits::tombstones_max + 10; ++i) {
    put("x");
    remove("x");
  }
  put("last");
  auto page = changes(0, 1, 0);
  EXPECT_EQ(names(page), "kept");
  ASSERT_TRUE(page.more);
  const std::uint64_t began = page.newest;
  put("new");
  remove("last");
  // In the middle of the first synchronization: stored since this page, deleted since it began.
  page = changes(page.change, 10, 1, began);
  EXPECT_EQ(names(page), "new -last");
  EXPECT_FALSE(page.more);
  // Without that, the deletions it would have to tell are forgotten.
  EXPECT_EQ(
      service.query(ListChanges{.caller = {"alice", 0}, .path = calendar(), .collection = id(), .since = 1})
          .code,
      Code::precondition_failed);
}

TEST_F(FindItemsTest, NothingIsFoundInWhatIsNoCollection) {
  put("a");
  EXPECT_EQ(service.query(FindItems{.caller = {"alice", 0}, .path = item("a")}).code, Code::not_found);
  EXPECT_EQ(service.query(GetItems{.caller = {"alice", 0}, .path = item("none"), .names = {"a"}}).code,
            Code::not_found);
  EXPECT_EQ(
      service.query(ListChanges{.caller = {"alice", 0}, .path = {DavSpace::calendars, "bob", {"default"}}})
          .code,
      Code::forbidden);
}

TEST(EntryPeek, SeesWhatTheWholeRowSays) {
  const EntryRow row{.name = "n\xc3\xa4me.ics",
                     .id = 1ULL << 60,
                     .etag = "\"e\"",
                     .content_type = "text/calendar",
                     .component = "VTODO",
                     .uid = std::string(300, 'u'),
                     .bytes = 70000,
                     .created = {1},
                     .modified = {2},
                     .change = 300,
                     .first_s = -62135596800,
                     .last_s = 253402300799,
                     .has_dead = true};
  const std::string bytes = encode(row);
  const EntryPeek peek = peek_entry(bytes);
  EXPECT_EQ(peek.name, row.name);
  EXPECT_EQ(peek.component, "VTODO");
  EXPECT_EQ(peek.first_s, row.first_s);
  EXPECT_EQ(peek.last_s, row.last_s);
  EXPECT_FALSE(peek.collection);
  EXPECT_TRUE(peek_entry(encode(EntryRow{.name = "c", .collection = true})).collection);
  EXPECT_EQ(peek_entry({}).last_s, EntryRow().last_s);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    try {
      peek_entry(std::string_view(bytes).substr(0, cut));
    } catch (const std::runtime_error&) {
    }
  }
}

}  // namespace
}  // namespace pollux::testing
