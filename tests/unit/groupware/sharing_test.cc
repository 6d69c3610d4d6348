// A collection that two users have, where rights are decided.
#include "service_fixture.h"

namespace pollux::testing {
namespace {

class SharingTest : public StateTest {
 protected:
  void SetUp() override {
    StateTest::SetUp();
    make(files({"team"}));
    make(files({"team", "sub"}));
    put(files({"team", "sub", "a"}), "12345");
  }
  bool is_read_only(const ServiceReply& reply) {
    return reply.code == Code::forbidden && refusal(reply).reason == RefusalReason::read_only;
  }
};

TEST_F(SharingTest, TheOtherUserFindsItInItsHome) {
  EXPECT_EQ(content(files({"team", "sub", "a"}, "bob")), std::nullopt);
  EXPECT_TRUE(stored(share(files({"team"}), "bob", Access::read)).created);
  EXPECT_EQ(names_in(files({}, "bob")), std::vector<std::string>{"team"});
  EXPECT_EQ(content(files({"team", "sub", "a"}, "bob")), "12345");
  const auto shared = info(files({"team"}, "bob"));
  EXPECT_TRUE(shared.shared);
  EXPECT_EQ(shared.owner, "alice");
  EXPECT_EQ(shared.access, Access::read);
  EXPECT_TRUE(info(files({"team"})).sharing);
  EXPECT_EQ(content(files({"team", "sub", "a"}), bob), "12345");  // where the owner has it, too
  EXPECT_EQ(reason(service.query(ListResources{.caller = bob, .path = files({})})), RefusalReason::not_yours);
  EXPECT_EQ(content(files({"team", "sub", "a"}), eve), std::nullopt);
}

TEST_F(SharingTest, AReaderChangesNothing) {
  share(files({"team"}), "bob", Access::read);
  for (const auto& path : {files({"team", "sub", "a"}, "bob"), files({"team", "sub", "a"})}) {
    EXPECT_TRUE(is_read_only(put(path, "x", {}, bob)));
    EXPECT_TRUE(is_read_only(erase(path, {}, bob)));
    EXPECT_TRUE(is_read_only(lock(path, "urn:1", false, true, bob)));
    EXPECT_TRUE(is_read_only(transfer(path, files({"mine"}, "bob"), true, {}, bob)));
    EXPECT_TRUE(is_read_only(service.execute(
        SetProperties{bob, path, {}, {{PropertyField::dead, false, "", {"", "y", "<y/>"}}}, false})));
  }
  EXPECT_TRUE(is_read_only(make(files({"team", "new"}, "bob"))));
  EXPECT_TRUE(is_read_only(put(files({"team", "new"}, "bob"))));
  EXPECT_EQ(copy(files({"team", "sub", "a"}, "bob"), files({"mine"}, "bob")).code, Code::ok);
  EXPECT_EQ(used("bob"), 5U);
  EXPECT_EQ(copy(files({"team"}, "bob"), files({"copy"}, "bob")).code, Code::ok);
  EXPECT_EQ(info(files({"copy"}, "bob")).owner, "bob");
  EXPECT_FALSE(info(files({"copy"}, "bob")).shared);
}

TEST_F(SharingTest, AWriterWritesOnTheOwnersAccount) {
  share(files({"team"}), "bob", Access::write);
  EXPECT_EQ(put(files({"team", "b"}, "bob"), "123").code, Code::ok);
  EXPECT_EQ(content(files({"team", "b"})), "123");
  EXPECT_EQ(used("bob"), 0U);
  EXPECT_EQ(used("alice"), 8U);
  EXPECT_EQ(move(files({"team", "b"}, "bob"), files({"b"}, "bob")).code, Code::ok);
  EXPECT_EQ(used("bob"), 3U);
  EXPECT_EQ(used("alice"), 5U);
}

TEST_F(SharingTest, NobodyButTheOwnerMovesOrDeletesTheCollectionItself) {
  share(files({"team"}), "bob", Access::write);
  EXPECT_TRUE(is_read_only(erase(files({"team"}), {}, bob)));
  EXPECT_TRUE(is_read_only(transfer(files({"team"}), files({"x"}, "bob"), true, {}, bob)));
  put(files({"mine"}, "bob"));
  EXPECT_TRUE(is_read_only(transfer(files({"mine"}, "bob"), files({"team"}), false, {}, bob)));
  make(files({"box"}, "bob"));
  EXPECT_TRUE(is_read_only(move(files({"team"}, "bob"), files({"box", "team"}, "bob"))));
  EXPECT_TRUE(is_read_only(move(files({"box"}, "bob"), files({"team", "box"}, "bob"))));
  EXPECT_EQ(reason(service.execute(ShareCollection{bob, files({"team"}, "bob"), "eve", Access::read})),
            RefusalReason::wrong_place);
  EXPECT_EQ(reason(service.execute(ShareCollection{bob, files({"team"}), "eve", Access::read})),
            RefusalReason::wrong_place);
}

TEST_F(SharingTest, TheSecondEntryCanBeRenamedAndThrownAway) {
  share(files({"team"}), "bob", Access::read);
  EXPECT_EQ(move(files({"team"}, "bob"), files({"alices"}, "bob")).code, Code::ok);
  EXPECT_EQ(names_in(files({}, "bob")), std::vector<std::string>{"alices"});
  EXPECT_EQ(content(files({"alices", "sub", "a"}, "bob")), "12345");
  EXPECT_EQ(names_in(files({})), std::vector<std::string>{"team"});
  EXPECT_FALSE(stored(share(files({"team"}), "bob", Access::write)).created);
  EXPECT_EQ(info(files({"alices"}, "bob")).access, Access::write);
  EXPECT_EQ(erase(files({"alices"}, "bob")).code, Code::ok);
  EXPECT_TRUE(names_in(files({}, "bob")).empty());
  EXPECT_EQ(content(files({"team", "sub", "a"})), "12345");
  EXPECT_EQ(reason(service.query(GetItem{.caller = bob, .path = files({"team", "sub", "a"})})),
            RefusalReason::not_yours);
}

TEST_F(SharingTest, ATakenNameGetsTheOwnersAdded) {
  put(files({"team"}, "bob"));
  share(files({"team"}), "bob", Access::read);
  EXPECT_EQ(names_in(files({}, "bob")), (std::vector<std::string>{"team", "team-alice"}));
}

TEST_F(SharingTest, ItEndsWhenTheOwnerSaysSoOrDeletesItOrGoes) {
  share(files({"team"}), "bob", Access::read);
  ASSERT_EQ(share(files({"team"}), "bob", Access::none).code, Code::ok);
  EXPECT_TRUE(names_in(files({}, "bob")).empty());
  share(files({"team"}), "bob", Access::read);
  ASSERT_EQ(erase(files({"team"})).code, Code::ok);
  EXPECT_TRUE(names_in(files({}, "bob")).empty());
  make(files({"team"}));
  share(files({"team"}), "bob", Access::read);
  ASSERT_EQ(service.execute(RemoveUser{"alice"}).code, Code::ok);
  EXPECT_TRUE(names_in(files({}, "bob")).empty());
  for (const auto& [key, value] : service.rows) EXPECT_NE(key[0], 'g');
}

TEST_F(SharingTest, AUserThatIsAddedAnewHasNoneOfTheOldOnesShares) {
  share(files({"team"}), "bob", Access::write);
  ASSERT_EQ(service.execute(RemoveUser{"bob"}).code, Code::ok);
  EXPECT_FALSE(info(files({"team"})).sharing);
  ASSERT_EQ(service.execute(AddUser{"bob", "", "hash"}).code, Code::ok);
  bob = caller("bob");
  EXPECT_TRUE(names_in(files({}, "bob")).empty());
  EXPECT_EQ(content(files({"team", "sub", "a"}), bob), std::nullopt);
  EXPECT_EQ(content(files({"team", "sub", "a"})),
            "12345");  // what was shared is not removed with the other user
}

TEST_F(SharingTest, OnlyACollectionOfTheHomeCanBeShared) {
  EXPECT_EQ(reason(share(files({"team", "sub"}), "bob", Access::read)), RefusalReason::wrong_place);
  EXPECT_EQ(reason(share(files({}), "bob", Access::read)), RefusalReason::wrong_place);
  EXPECT_EQ(share(files({"none"}), "bob", Access::read).code, Code::not_found);
  EXPECT_EQ(share(files({"team"}), "nobody", Access::read).code, Code::not_found);
  EXPECT_EQ(reason(share(files({"team"}), "alice", Access::read)), RefusalReason::same_resource);
  make(files({"box"}));
  share(files({"team"}), "bob", Access::read);
  EXPECT_EQ(reason(move(files({"team"}), files({"box", "team"}))), RefusalReason::wrong_place);
  EXPECT_EQ(move(files({"team"}), files({"crew"})).code, Code::ok);
  EXPECT_EQ(content(files({"team", "sub", "a"}, "bob")), "12345");
}

TEST_F(SharingTest, ALockIsItsMakersAndTheOwnerMayBreakIt) {
  share(files({"team"}), "bob", Access::write);
  ASSERT_EQ(lock(files({"team"}, "bob"), "urn:1", false, true).code, Code::ok);
  EXPECT_EQ(reason(put(files({"team", "b"}), "x", with_tokens({"urn:1"}))), RefusalReason::locked);
  EXPECT_EQ(put(files({"team", "b"}, "bob"), "x", with_tokens({"urn:1"})).code, Code::ok);
  ASSERT_EQ(info(files({"team"})).locks.size(), 1U);
  EXPECT_EQ(info(files({"team"})).locks[0].user, "bob");
  EXPECT_EQ(service.execute(UnlockResource{alice, files({"team"}), {}, "urn:1"}).code, Code::ok);
  ASSERT_EQ(lock(files({"team"}), "urn:2").code, Code::ok);
  EXPECT_TRUE(is_read_only(service.execute(UnlockResource{bob, files({"team"}, "bob"), {}, "urn:2"})));
  EXPECT_EQ(list(files({}, "bob")).children.size(), 1U);
  EXPECT_EQ(std::get<CollectionInfo>(list(files({}, "bob")).children[0]).locks.size(), 1U);
}

TEST_F(SharingTest, WhoHasItIsToldToItsOwnerOnly) {
  share(files({"team"}), "eve", Access::write);
  share(files({"team"}), "bob", Access::read);
  const auto reply = service.query(ListShares{alice, files({"team"})});
  EXPECT_EQ(decode_groupware_reply<ShareList>(reply.payload).value(),
            (ShareList{{{"bob", Access::read}, {"eve", Access::write}}}));
  EXPECT_EQ(service.query(ListShares{bob, files({"team"}, "bob")}).code, Code::not_found);
}

}  // namespace
}  // namespace pollux::testing
