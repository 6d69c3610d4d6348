// Two commands on one host, in the order A B B A: what changes slowly on the host falls on both alike.
#pragma once

#include "compare/sides.h"
#include "pollux/bench/compare.h"
#include "run/progress.h"

namespace pollux {

struct Abba {
  Side a, b;
  bool complete = true;  ///< false: interrupted; what there was until then is in the sides
};
/// Runs options.commands, each by /bin/sh -c, and reads a result from the standard output of each call.
/// `directory`: for these outputs. An error of a command ends it, unless both sides have a result by then.
Result<Abba> run_abba(const CompareOptions& options, const std::filesystem::path& directory,
                      Progress& progress);

}  // namespace pollux
