// Locks, and If headers, where they are decided.
#include <algorithm>

#include "service_fixture.h"

namespace pollux::testing {
namespace {

class LocksTest : public StateTest {
 protected:
  void SetUp() override {
    StateTest::SetUp();
    make(files({"x"}));
    make(files({"x", "y"}));
    put(files({"x", "a"}));
    put(files({"x", "y", "b"}));
  }
  bool is_locked(const ServiceReply& reply) {
    return reply.code == Code::conflict && refusal(reply).reason == RefusalReason::locked;
  }
};

TEST_F(LocksTest, ALockedItemIsChangedOnlyWithItsToken) {
  ASSERT_EQ(lock(files({"x", "a"}), "urn:1").code, Code::ok);
  const auto refused = put(files({"x", "a"}), "new");
  EXPECT_TRUE(is_locked(refused));
  ASSERT_EQ(refusal(refused).paths.size(), 1U);
  EXPECT_EQ(refusal(refused).paths[0], files({"x", "a"}));
  EXPECT_TRUE(is_locked(put(files({"x", "a"}), "new", with_tokens({"urn:2"}))));
  EXPECT_TRUE(is_locked(erase(files({"x", "a"}))));
  EXPECT_TRUE(is_locked(move(files({"x", "a"}), files({"a"}))));
  EXPECT_TRUE(is_locked(copy(files({"x", "y", "b"}), files({"x", "a"}))));
  EXPECT_TRUE(is_locked(erase(files({"x"}))));
  EXPECT_TRUE(is_locked(move(files({"x"}), files({"z"}))));
  EXPECT_TRUE(is_locked(service.execute(SetProperties{
      alice, files({"x", "a"}), {}, {{PropertyField::dead, false, "", {"", "y", "<y/>"}}}, false})));
  EXPECT_EQ(copy(files({"x", "a"}), files({"c"})).code, Code::ok);  // reading is free
  EXPECT_EQ(put(files({"x", "c"})).code, Code::ok);
  EXPECT_EQ(put(files({"x", "a"}), "new", with_tokens({"urn:1"})).code, Code::ok);
}

TEST_F(LocksTest, ALockEndsWithWhatItIsOn) {
  lock(files({"x", "a"}), "urn:1");
  lock(files({"x", "y"}), "urn:2");
  EXPECT_TRUE(is_locked(erase(files({"x"}), with_tokens({"urn:1"}))));
  EXPECT_EQ(move(files({"x"}), files({"z"}), with_tokens({"urn:1", "urn:2"})).code, Code::ok);
  EXPECT_EQ(put(files({"z", "a"}), "new").code, Code::ok);  // a lock does not move along
  for (const auto& [key, value] : service.rows) EXPECT_NE(key[0], 'l');
}

TEST_F(LocksTest, ADeepLockCoversWhatIsBelowAndWhatComesThere) {
  lock(files({"x"}), "urn:1");
  EXPECT_TRUE(is_locked(put(files({"x", "y", "b"}), "new")));
  EXPECT_TRUE(is_locked(put(files({"x", "y", "c"}), "new")));
  EXPECT_TRUE(is_locked(make(files({"x", "z"}))));
  EXPECT_TRUE(is_locked(copy(files({"x", "a"}), files({"x", "c"}))));
  EXPECT_TRUE(is_locked(erase(files({"x"}))));
  EXPECT_EQ(put(files({"x", "y", "c"}), "new", with_tokens({"urn:1"})).code, Code::ok);
  EXPECT_EQ(put(files({"c"})).code, Code::ok);
  const auto locks = std::get<ItemInfo>(list(files({"x", "y"})).children[0]).locks;
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0].root, files({"x"}));
}

TEST_F(LocksTest, AShallowLockCoversTheCollectionAndItsNames) {
  lock(files({"x"}), "urn:1", false, false);
  EXPECT_TRUE(is_locked(put(files({"x", "new"}))));
  EXPECT_TRUE(is_locked(erase(files({"x", "a"}))));
  EXPECT_TRUE(is_locked(move(files({"x", "a"}), files({"a"}))));
  EXPECT_EQ(put(files({"x", "a"}), "new").code, Code::ok);
  EXPECT_EQ(put(files({"x", "y", "new"})).code, Code::ok);
}

TEST_F(LocksTest, ExclusiveLocksExcludeOthersAndSharedOnesDoNot) {
  ASSERT_EQ(lock(files({"x", "a"}), "urn:1", true).code, Code::ok);
  EXPECT_EQ(lock(files({"x", "a"}), "urn:2", true).code, Code::ok);
  EXPECT_EQ(reason(lock(files({"x", "a"}), "urn:3")), RefusalReason::lock_conflict);
  const auto deep = lock(files({"x"}), "urn:4");
  EXPECT_EQ(reason(deep), RefusalReason::lock_conflict);
  EXPECT_EQ(refusal(deep).paths[0], files({"x", "a"}));
  EXPECT_EQ(lock(files({"x"}), "urn:5", false, false).code, Code::ok);  // it does not reach so deep
  EXPECT_EQ(put(files({"x", "a"}), "new", with_tokens({"urn:2"})).code,
            Code::ok);  // one token of those is enough
  EXPECT_EQ(put(files({"x", "a"}), "new", with_tokens({"urn:1"})).code, Code::ok);
  EXPECT_TRUE(is_locked(put(files({"x", "a"}), "new", with_tokens({"urn:3"}))));
}

TEST_F(LocksTest, ALockEndsAfterItsTimeByTheRecordsClock) {
  LockResource request{
      .caller = alice, .path = files({"x", "a"}), .when = {}, .token = "urn:1", .owner_xml = {}};
  request.timeout_s = 10;
  ASSERT_EQ(service.execute(request).code, Code::ok);
  service.time.us += 9'000'000;
  EXPECT_TRUE(is_locked(put(files({"x", "a"}), "new")));
  ASSERT_EQ(
      service.execute(RefreshLock{alice, files({"x", "a"}), only_if({{false, {}, "urn:1"}}), 100, false})
          .code,
      Code::ok);
  service.time.us += 99'000'000;
  EXPECT_TRUE(is_locked(put(files({"x", "a"}), "new")));
  service.time.us += 2'000'000;
  EXPECT_EQ(put(files({"x", "a"}), "new").code, Code::ok);
  EXPECT_EQ(service.execute(RefreshLock{alice, files({"x", "a"}), with_tokens({"urn:1"}), 9, false}).code,
            Code::precondition_failed);
  EXPECT_TRUE(std::get<ItemInfo>(list(files({"x"})).children[0]).locks.empty());
  EXPECT_EQ(lock(files({"x", "a"}), "urn:2").code, Code::ok);
  EXPECT_EQ(service.execute(RefreshLock{alice, files({"x", "a"}), with_tokens({"urn:1"}), 9, false}).code,
            Code::precondition_failed);
}

TEST_F(LocksTest, UnlockingTakesTheRightToken) {
  lock(files({"x"}), "urn:1");
  const auto unlock = [&](const ResourcePath& path, const std::string& token) {
    return service.execute(UnlockResource{alice, path, {}, token});
  };
  EXPECT_EQ(reason(unlock(files({"x"}), "urn:2")), RefusalReason::no_such_lock);
  EXPECT_EQ(reason(unlock(files({}), "urn:1")), RefusalReason::no_such_lock);
  EXPECT_EQ(unlock(files({"none"}), "urn:1").code, Code::not_found);
  EXPECT_EQ(unlock(files({"x", "y", "b"}), "urn:1").code, Code::ok);  // anything in its scope names it
  EXPECT_EQ(put(files({"x", "a"}), "new").code, Code::ok);
}

TEST_F(LocksTest, LockingNothingMakesAnEmptyItem) {
  const auto reply = lock(files({"x", "new"}), "urn:1");
  ASSERT_EQ(reply.code, Code::ok);
  EXPECT_TRUE(decode_groupware_reply<LockReply>(reply.payload).value().created);
  EXPECT_EQ(content(files({"x", "new"})), "");
  EXPECT_TRUE(is_locked(put(files({"x", "new"}))));
  EXPECT_EQ(put(files({"x", "new"}), "text", with_tokens({"urn:1"})).code, Code::ok);
  EXPECT_EQ(reason(lock(files({"none", "new"}), "urn:2")), RefusalReason::no_parent);
  EXPECT_EQ(reason(lock(calendars({"default", "new"}), "urn:2")), RefusalReason::not_a_calendar_item);
}

TEST_F(LocksTest, AHomeHasABoundedNumberOfLocks) {
  for (std::size_t number = 0; number < GroupwareLimits::locks_max; ++number) {
    ASSERT_EQ(lock(files({"x", "a"}), "urn:" + std::to_string(number), true).code, Code::ok);
  }
  EXPECT_EQ(reason(lock(files({"x", "a"}), "urn:x", true)), RefusalReason::too_many);
  EXPECT_EQ(lock(calendars({"default"}), "urn:x", true).code, Code::ok);
  service.time.us += 2LL * 86400 * 1'000'000;
  EXPECT_EQ(lock(files({"x", "a"}), "urn:x", true).code, Code::ok);
  EXPECT_EQ(decode_row<LocksRow>(std::ranges::find_if(service.rows,
                                                      [](const auto& row) {
                                                        return row.first[0] == 'l' && row.second.size() > 4;
                                                      })
                                     ->second)
                .locks.size(),
            1U);
}

TEST_F(LocksTest, AnIfHeaderHoldsIfOneOfItsListsDoes) {
  const auto tag = stored(put(files({"x", "a"}), "1")).etag;
  const EntityTag good{false, tag}, other{false, "\"other\""}, weak{true, tag};
  const auto puts = [&](Preconditions when) { return put(files({"x", "a"}), "1", std::move(when)).code; };
  EXPECT_EQ(puts(only_if({{false, other, {}}})), Code::precondition_failed);
  EXPECT_EQ(puts(only_if({{false, weak, {}}})), Code::precondition_failed);
  EXPECT_EQ(puts(only_if({{false, {}, "DAV:no-lock"}})), Code::precondition_failed);
  EXPECT_EQ(puts(only_if({{true, good, {}}})), Code::precondition_failed);
  EXPECT_EQ(puts(only_if({{false, good, {}}, {false, {}, "urn:1"}})), Code::precondition_failed);
  Preconditions two = only_if({{false, other, {}}});
  two.lists.push_back({false, {}, {{false, good, {}}}});
  EXPECT_EQ(puts(two), Code::ok);
  EXPECT_EQ(puts(only_if({{true, good, {}}, {true, {}, "DAV:no-lock"}})),
            Code::ok);  // the tag is another one now
}

TEST_F(LocksTest, ATaggedListLooksAtTheResourceItNames) {
  const auto tag = stored(put(files({"x", "a"}), "1")).etag;
  lock(files({"x", "y"}), "urn:1");
  const auto tagged = [](std::optional<ResourcePath> resource, IfCondition condition) {
    Preconditions when;
    when.lists.push_back({true, std::move(resource), {std::move(condition)}});
    return when;
  };
  const EntityTag good{false, tag};
  EXPECT_EQ(put(files({"c"}), "1", tagged(files({"x", "a"}), {false, good, {}})).code, Code::ok);
  EXPECT_EQ(put(files({"c"}), "1", tagged(files({"x", "y", "b"}), {false, {}, "urn:1"})).code, Code::ok);
  EXPECT_EQ(put(files({"c"}), "1", tagged(files({"x"}), {false, {}, "urn:1"})).code,
            Code::precondition_failed);
  EXPECT_EQ(put(files({"c"}), "1", tagged(files({"none", "x"}), {false, good, {}})).code,
            Code::precondition_failed);
  EXPECT_EQ(put(files({"c"}), "1", tagged(std::nullopt, {true, good, {}})).code, Code::ok);
  // What belongs to somebody else has no tags for a stranger.
  EXPECT_EQ(put(files({"c"}, "bob"), "1", tagged(files({"x", "a"}), {false, good, {}})).code,
            Code::precondition_failed);
}

TEST_F(LocksTest, ATokenOfAnotherResourceDoesNotHold) {
  lock(files({"x", "a"}), "urn:1");
  EXPECT_EQ(put(files({"c"}), "1", only_if({{false, {}, "urn:1"}})).code, Code::precondition_failed);
  EXPECT_EQ(put(files({"x", "a"}), "1", only_if({{false, {}, "urn:1"}})).code, Code::ok);
}

}  // namespace
}  // namespace pollux::testing
