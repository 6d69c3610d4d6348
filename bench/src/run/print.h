// The forms of a result on paper.
#pragma once

#include <iosfwd>
#include <string>

#include "pollux/bench/common.h"
#include "run/result.h"
#include "run/sections.h"

namespace pollux {

/// As a table for a terminal, or for Markdown.
void print_section(const Section& section, BenchForm form, std::ostream& out);
/// Text that Markdown takes as it is.
std::string markdown_text(const std::string& text);
void print_result(const BenchResult& result, BenchForm form, std::ostream& out);

}  // namespace pollux
