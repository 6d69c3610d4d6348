// `pollux bench file`: large files over HTTP through the gateway, by the size of the sockets' buffers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct BenchFileOptions {
  static constexpr std::uint64_t bytes_max = 24u << 20;  ///< what one COPY may be
  std::uint64_t bytes = 8u << 20;
  std::vector<std::string> operations;  ///< of file_operations(); empty: all
  /// SO_SNDBUF and SO_RCVBUF of this end; 0: left to the kernel.
  std::vector<std::uint32_t> buffers = {8u << 10, 16u << 10, 32u << 10, 64u << 10, 128u << 10, 0};
  std::vector<std::string> settings, gateway_settings;  ///< more lines of these tables of the configuration
};
std::vector<std::string> file_operations();
/// What --quick makes smaller.
void make_quick(BenchFileOptions& options);
int bench_file(const BenchCommon& common, const BenchFileOptions& options);

}  // namespace pollux
