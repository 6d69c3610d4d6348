// The fuzz targets of tests/fuzz/groupware_targets.h with their seeds, and with seeds that were cut and
// mixed. POLLUX_FUZZ_ROUNDS=100000 POLLUX_FUZZ_SEED=7 tries more, and others, where no libFuzzer is at hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "fuzz/groupware_targets.h"
#include "fuzz/http_target.h"
#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

std::vector<std::string> seeds(const std::string& folder, const std::string& extension) {
  std::vector<std::string> found;
  const auto directory = std::filesystem::path(POLLUX_TEST_DATA) / folder;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    if (file.path().extension() != extension || file.file_size() > 8192) continue;
    found.push_back(read_data(folder + "/" + file.path().filename().string()));
  }
  EXPECT_GT(found.size(), 2U) << folder;
  return found;
}

std::string mutate(std::string text, const std::string& other, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (std::size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + below(20));
        break;
      case 2:
        text.insert(at, other, below(other.size()), 1 + below(60));
        break;
      case 3:
        text.insert(at, text.substr(at, 1 + below(40)));
        break;
      default:
        text[at] = static_cast<char>('0' + below(10));
        break;
    }
  }
  return text;
}

void replay(const std::vector<std::string>& seeds, void (*target)(std::string_view), int rounds) {
  const auto number = [](const char* name, unsigned long otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoul(text, nullptr, 10);
  };
  std::mt19937 random(static_cast<std::uint32_t>(number("POLLUX_FUZZ_SEED", 20240101)));
  rounds = static_cast<int>(number("POLLUX_FUZZ_ROUNDS", static_cast<unsigned long>(rounds)));
  for (const auto& seed : seeds) target(seed);
  for (int round = 0; round < rounds; ++round) {
    target(mutate(seeds[random() % seeds.size()], seeds[random() % seeds.size()], random));
  }
}

TEST(FuzzReplay, CalendarObjects) { replay(seeds("", ".ics"), try_recurrence, 400); }
TEST(FuzzReplay, Cards) { replay(seeds("cards", ".vcf"), try_card, 5000); }
TEST(FuzzReplay, Requests) { replay(seeds("requests", ".http"), try_http, 300); }
TEST(FuzzReplay, Reports) { replay(seeds("reports", ".xml"), try_report, 5000); }

}  // namespace
}  // namespace pollux::testing
