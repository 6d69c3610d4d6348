#include "witness_suite.h"

namespace pollux::testing {
namespace {

struct MemoryMaker : WitnessMaker {
  Witness& open() override { return *witness; }
  std::unique_ptr<Witness> witness = make_memory_witness();
};

INSTANTIATE_TEST_SUITE_P(Memory, WitnessSuite, ::testing::Values([]() -> std::unique_ptr<WitnessMaker> {
                           return std::make_unique<MemoryMaker>();
                         }));

}  // namespace
}  // namespace pollux::testing
