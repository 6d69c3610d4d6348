// A trail with a flipped bit: the good copy is the peer's. Nothing is lost, and nothing is silent.
#include <gmock/gmock.h>

#include <fstream>

#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

namespace fs = std::filesystem;

class DamageTest : public PairUnderTest {
 protected:
  // Every member down, in order; files are ours.
  void stop_all() {
    pair().node()->signal(SIGTERM);
    ASSERT_TRUE(pair().node()->wait(std::chrono::seconds(60)));
    wait_until("both members to be gone", [this] { return !pair().status(0) && !pair().status(1); });
  }
  // Flips one bit of a stored record, which is found by its chain hash that stands beside it: in its page,
  // and in those copies of the page that LMDB no longer uses.
  bool flip_bit_in_trail(std::size_t member, const std::string& bytes_of_record) {
    bool flipped = false;
    for (const auto& entry : fs::recursive_directory_iterator(pair().pair().members[member].directory)) {
      if (!entry.is_regular_file() || entry.path().string().find("trail") == std::string::npos) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string content((std::istreambuf_iterator<char>(in)), {});
      in.close();
      for (auto at = content.find(bytes_of_record); at != std::string::npos;
           at = content.find(bytes_of_record, at + 1)) {
        std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(at + 3));
        file.put(static_cast<char>(content[at + 3] ^ 0x10));
        flipped = true;
      }
    }
    return flipped;
  }
};

TEST_F(DamageTest, AFlippedBitInOneTrailIsRepairedFromThePeer) {
  start();
  start_load();
  wait_for_answers(200);
  load().stop();
  wait_until("both members to have everything", [this] { return pair().settled(); });
  const auto lines = read_audit(pair().control(0), 0, 100);
  ASSERT_TRUE(lines) << lines.error().text;
  ASSERT_EQ(lines->size(), 100u);
  Hash hash;
  ASSERT_TRUE(parse_hex((*lines)[50].hash, hash.bytes.data(), hash.bytes.size()));
  const std::string bytes(reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size());
  stop_all();
  const std::size_t damaged = 1;
  ASSERT_TRUE(flip_bit_in_trail(damaged, bytes)) << "the record was not found in the file";
  ASSERT_TRUE(pair().start_node());
  wait_in_sync();
  // Audit reads through the member: whoever meets the damage fetches the record from the peer.
  wait_until("the damaged member to have good copies again", [&] {
    const auto verified =
        ask_control(pair().control(damaged), R"({"command":"audit-verify"})", std::chrono::seconds(60));
    return verified && verified->find("\"faults\":[]") != std::string::npos;
  });
  EXPECT_TRUE(said({"damaged"}) || said({"repair"})) << "it must not be silent about it";
  trail_->follow(load().take_acknowledged());
  trail_->compare_members();
}

TEST_F(DamageTest, AfterAnOrderlyStopEitherMemberCanLead) {
  start();
  start_load();
  wait_for_answers(50);
  load().stop();
  wait_until("both members to have everything", [this] { return pair().settled(); });
  const std::size_t damaged = primary(), whole = 1 - damaged;
  stop_all();
  {
    std::fstream file(pair().pair().members[damaged].directory / "trail" / "data.mdb",
                      std::ios::binary | std::ios::in | std::ios::out);
    file << std::string(8192, 'x');  // both of LMDB's first pages
    ASSERT_TRUE(file.good());
  }
  ASSERT_TRUE(pair().start_node());
  wait_until("the other member to lead", [&] {
    const auto now = pair().status(whole);
    return now && now->serving;
  });
  trail_->follow(load().take_acknowledged());
}

}  // namespace
}  // namespace pollux::testing
