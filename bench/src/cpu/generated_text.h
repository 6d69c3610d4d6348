// A text that looks like one to a compressor, the same on every host: words of which few are frequent, in
// lines, with numbers between them.
#pragma once

#include <cstddef>
#include <string>

namespace pollux {

std::string generated_text(std::size_t bytes);

}  // namespace pollux
