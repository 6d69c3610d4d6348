// `pollux bench ...`, if this build has the benchmarks.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pollux {

/// Adds the subcommands; the chosen one sets `run`. `arguments`: of this call, after `bench`.
void add_bench(CLI::App& app, std::vector<std::string> arguments, std::function<int()>& run);

}  // namespace pollux
