#include "integration/trail_check.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace pollux::testing {

namespace {
constexpr std::uint64_t chunk = 5000;
constexpr std::chrono::seconds read_limit(60);
constexpr std::chrono::seconds verify_limit(120);
constexpr std::chrono::seconds rest_limit(60);
}  // namespace

void TrailCheck::take(const AuditLine& line) {
  ASSERT_EQ(line.lsn, last_ + 1) << "the trail has a gap";
  last_ = line.lsn;
  hashes_.push_back(line.hash);
  if (line.kind != "request" && line.kind != "tombstone") return;
  const auto [place, fresh] = seen_.try_emplace({line.session, line.seq}, Seen{line.lsn, line.code});
  EXPECT_TRUE(fresh) << "executed twice: session " << line.session << " seq " << line.seq << " at LSN "
                     << place->second.lsn << " and " << line.lsn;
}

// Reads all that is committed; false if nobody answered (the primary may just have been killed).
bool TrailCheck::read_on() {
  const auto primary = pair_.primary();
  if (!primary) return false;
  for (;;) {
    const auto lines = read_audit(pair_.control(*primary), last_, chunk);
    if (!lines) return false;
    std::size_t taken = 0;
    for (const auto& line : *lines) {
      if (!line.committed) return true;
      take(line);
      if (::testing::Test::HasFatalFailure()) return true;
      ++taken;
    }
    if (taken < chunk) return true;
  }
}

void TrailCheck::follow(const std::vector<Acknowledged>& acknowledged) {
  std::uint64_t wanted = 0;
  for (const auto& one : acknowledged) wanted = std::max(wanted, one.lsn);
  const bool read = SpawnedPair::wait_until(
      [&] { return ::testing::Test::HasFatalFailure() || (read_on() && last_ >= wanted); }, read_limit);
  EXPECT_TRUE(read) << "LSN " << wanted << " was acknowledged, and the trail ends at " << last_ << "; "
                    << pair_.describe();
  for (const auto& one : acknowledged) {
    const auto found = seen_.find({one.session, one.seq});
    if (found == seen_.end()) {
      ADD_FAILURE() << "acknowledged and not in the trail: session " << one.session << " seq " << one.seq
                    << " LSN " << one.lsn;
      continue;
    }
    EXPECT_EQ(found->second.code, one.code) << "LSN " << found->second.lsn;
    if (one.lsn != 0) {
      EXPECT_EQ(found->second.lsn, one.lsn) << "session " << one.session << " seq " << one.seq;
    }
  }
}

// Records may still come: whenever roles change, the new primary writes who leads.
void TrailCheck::wait_at_rest() {
  std::string lsns[2], digests[2];
  const bool equal = SpawnedPair::wait_until(
      [&] {
        for (const std::size_t member : {0, 1}) {
          const auto told = ask_control(pair_.control(member), R"({"command":"digest"})", verify_limit);
          if (!told) return false;
          const auto digest = boost::json::parse(*told).as_object();
          lsns[member] = boost::json::serialize(digest.at("lsn"));
          digests[member] = boost::json::serialize(digest.at("digest"));
        }
        return lsns[0] == lsns[1] && read_on() && lsns[0] == std::to_string(last_);
      },
      rest_limit);
  ASSERT_TRUE(equal) << "the tables never came to rest at the same LSN: " << lsns[0] << " and " << lsns[1]
                     << ", the trail ends at " << last_ << "; " << pair_.describe();
  EXPECT_EQ(digests[0], digests[1]) << "the tables differ";
}

void TrailCheck::compare_trail(std::size_t member) {
  const std::string name = pair_.pair().members[member].name;
  std::uint64_t lsn = 0;
  for (;;) {
    const auto lines = read_audit(pair_.control(member), lsn, chunk);
    ASSERT_TRUE(lines) << "member " << name << ": " << lines.error().text;
    for (const auto& line : *lines) {
      ASSERT_EQ(line.lsn, ++lsn) << "member " << name;
      ASSERT_LE(lsn, last_) << "member " << name << " has a record that nobody saw committed";
      ASSERT_EQ(line.hash, hashes_[lsn]) << "member " << name << " has another history at LSN " << lsn;
    }
    if (lines->size() < chunk) break;
  }
  EXPECT_EQ(lsn, last_) << "member " << name << " lacks records";
  const auto verified = ask_control(pair_.control(member), R"({"command":"audit-verify"})", verify_limit);
  ASSERT_TRUE(verified) << verified.error().text;
  const auto faults = boost::json::parse(*verified).as_object();
  ASSERT_TRUE(faults.contains("faults")) << *verified;
  EXPECT_TRUE(faults.at("faults").as_array().empty()) << "member " << name << ": " << *verified;
}

void TrailCheck::compare_members() {
  wait_at_rest();
  if (::testing::Test::HasFatalFailure()) return;
  for (const std::size_t member : {0, 1}) {
    compare_trail(member);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace pollux::testing
