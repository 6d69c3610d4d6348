// Products of two 64-bit numbers, for rates and ratios of whole numbers.
#pragma once

namespace pollux {

__extension__ using Wide = unsigned __int128;

}  // namespace pollux
