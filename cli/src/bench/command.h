// `pollux bench ...`, if this build has the benchmarks.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pollux {

struct Globals;

/// Adds the subcommands; the chosen one sets `run`. `arguments`: of this call, after `bench`.
void add_bench(CLI::App& app, std::vector<std::string> arguments, std::function<int()>& run);
/// `pollux doctor`, if this build has the benchmarks. `globals` must live as long as `run`.
void add_doctor(CLI::App& app, const Globals& globals, std::function<int()>& run);

}  // namespace pollux
