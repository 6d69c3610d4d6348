// `pollux bench ...`, if this build has the benchmarks.
#pragma once

#include <functional>
#include <memory>

namespace CLI {
class App;
}

namespace pollux {

/// Adds the subcommands; the chosen one sets `run`. The options live as long as what is returned.
std::shared_ptr<void> add_bench(CLI::App& app, std::function<int()>& run);

}  // namespace pollux
