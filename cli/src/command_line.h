// The command line: what may be said, and which function it means. Keeps CLI11 in one file.
#pragma once

namespace pollux {

/// Parses, runs the subcommand, and returns the exit code. A wrong command line is one line on standard
/// error.
int run_command_line(int argc, char** argv);

}  // namespace pollux
