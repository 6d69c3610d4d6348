#include <algorithm>
#include <memory>

#include "commit/commit_runs.h"
#include "groupware/groupware_pair.h"
#include "office/office_run.h"
#include "run/benchmark.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

constexpr std::chrono::hours working_day(8);

struct OpenOffice {
  std::unique_ptr<GroupwarePair> pair;
  Office office;
};

std::vector<std::string> close_office(OpenOffice& opened) {
  std::vector<std::string> wrong;
  if (opened.pair != nullptr && !InterruptGuard::interrupted()) {
    if (const auto check = opened.pair->check(); !check.wrong.empty()) wrong.push_back(check.wrong);
  }
  opened.pair.reset();
  return wrong;
}

}  // namespace

void make_quick(BenchOfficeOptions& options) {
  constexpr unsigned people = 10, compress = 10'000;
  options.people = std::min(options.people, people);
  options.compress = std::max(options.compress, compress);
}

Facts workload_of(const BenchOfficeOptions& options) {
  return {{"people", std::to_string(options.people)},
          {"compress", std::to_string(options.compress)},
          {"seed", std::to_string(options.seed)}};
}

std::vector<CellGroup> plan_office(const BenchCommon& common, const BenchOfficeOptions& options,
                                   const std::filesystem::path& directory) {
  const auto opened = std::make_shared<OpenOffice>();
  CellGroup group{.name = "office",
                  .cells = {},
                  .open_takes = std::chrono::seconds(4),
                  .open = [opened, common, options, directory]() -> Result<void> {
                    Progress progress;
                    auto pair = GroupwarePair::start({.command = common.command,
                                                      .parent = directory,
                                                      .events = 0,
                                                      .pair_settings = lines(options.settings),
                                                      .gateway_settings = lines(options.gateway_settings)},
                                                     progress);
                    if (!pair) return std::unexpected(pair.error());
                    opened->pair = std::move(*pair);
                    return {};
                  },
                  .close = [opened] { return close_office(*opened); }};
  group.cells.push_back(
      {.bench = "office",
       .workload = workload_of(options),
       .not_available = {},
       .takes = std::chrono::duration_cast<std::chrono::milliseconds>(working_day) / options.compress,
       .run = [opened, options] { return run_office_day(opened->pair->server(), opened->office, options); }});
  return {group};
}

int bench_office(const BenchCommon& common, const BenchOfficeOptions& options) {
  return run_benchmark(common, "office",
                       [&](const std::filesystem::path& directory) -> Result<std::vector<CellGroup>> {
                         return plan_office(common, options, directory);
                       });
}

}  // namespace pollux
