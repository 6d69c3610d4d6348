// A few seconds of what the fuzzers do for hours: seeds of every codec, mutated at random. The sanitizers and
// the checks in codec_targets.h are the judges.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "fuzz/codec_targets.h"

namespace pollux {
namespace {

using testing::codec_targets;
using testing::CodecTarget;

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string bytes, const std::string& other) {
    for (std::size_t count = 1 + below(4); count > 0; --count) change(&bytes, other);
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void change(std::string* bytes, const std::string& other) {
    const std::size_t at = below(bytes->size() + 1);
    switch (below(7)) {
      case 0:
        if (at < bytes->size()) (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < bytes->size()) (*bytes)[at] = static_cast<char>(random_());
        break;
      case 2:
        bytes->resize(at);
        break;
      case 3:
        bytes->insert(at, below(20), static_cast<char>(random_()));
        break;
      case 4:
        bytes->erase(at, 1 + below(20));
        break;
      case 5:
        bytes->insert(at, other.substr(below(other.size() + 1), below(80)));
        break;
      case 6:
        bytes->insert(at, std::string(1 + below(9), '\xff'));
        break;  // endless varints
      default:
        break;
    }
  }

  std::mt19937 random_;
};

class EveryDecoder : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryDecoder, SurvivesMutatedBytes) {
  const auto targets = codec_targets();
  const CodecTarget& target = targets.at(GetParam());
  for (const std::string& seed : target.seeds) {
    target.run(seed);
    for (std::size_t size = 0; size < seed.size(); ++size) target.run(seed.substr(0, size));
  }
  Mutator mutator(1);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  std::size_t runs = 0;
  std::string carried;
  while (runs < 30000 && std::chrono::steady_clock::now() < until) {
    for (std::size_t i = 0; i < target.seeds.size(); ++i, ++runs) {
      const std::string& other = target.seeds[(i + runs) % target.seeds.size()];
      carried = mutator.mutate(runs % 3 == 0 && carried.size() < 4096 ? carried : target.seeds[i], other);
      target.run(carried);
    }
  }
  EXPECT_GT(runs, 0u);
}
INSTANTIATE_TEST_SUITE_P(Codec, EveryDecoder, ::testing::Range<std::size_t>(0, 5), [](const auto& target) {
  return std::string(codec_targets().at(target.param).name);
});

TEST(Seeds, AreAllAccepted) {
  for (const CodecTarget& target : codec_targets()) {
    for (const std::string& seed : target.seeds) {
      const std::string name = target.name;
      if (name == "record") {
        EXPECT_TRUE(unseal(seed, {}).has_value());
      }
      if (name == "peer") {
        EXPECT_TRUE(decode_peer(seed).has_value());
      }
      if (name == "requester") {
        EXPECT_TRUE(decode_requester(seed).has_value());
      }
      if (name == "reply") {
        EXPECT_TRUE(decode_reply(seed).has_value());
      }
    }
  }
}

}  // namespace
}  // namespace pollux
