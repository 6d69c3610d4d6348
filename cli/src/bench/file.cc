#include "pollux/bench/file.h"

#include <CLI/CLI.hpp>

#include "bench/add.h"

namespace pollux {

void add_bench_file(BenchCli& cli) {
  auto& file = *cli.bench.add_subcommand(
      "file", "Large files over HTTP through the gateway, by the size of socket buffers");
  const auto options = std::make_shared<BenchFileOptions>();
  const auto common = add_common_options(file, cli);
  file.add_option("--operation", options->operations,
                  "what is done; client-copy is a GET and a PUT; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(file_operations()));
  auto* bytes = file.add_option_function<std::string>(
                        "--bytes",
                        [options](const std::string& size) {
                          options->bytes = bytes_of(size, 1, BenchFileOptions::bytes_max);
                        },
                        "of the file, such as 100K or 8M")
                    ->default_str("8M");
  file.add_option_function<std::vector<std::string>>(
          "--buffers",
          [options](const std::vector<std::string>& sizes) {
            constexpr std::uint64_t least = 1024, most = 1u << 30;
            options->buffers.clear();
            for (const auto& size : sizes) {
              options->buffers.push_back(
                  size == "auto" ? 0 : static_cast<std::uint32_t>(bytes_of(size, least, most)));
            }
          },
          "SO_SNDBUF and SO_RCVBUF of this end, such as 8K,128K,auto; default: 8K to 128K and auto")
      ->delimiter(',');
  file.add_option("--setting", options->settings,
                  "a line of the pair's table in the configuration file; may be given more than once");
  file.add_option("--gateway-setting", options->gateway_settings,
                  "a line of the gateway's table; may be given more than once");
  file.callback([common, options, bytes, &run = cli.run] {
    if (common->quick && bytes->empty()) make_quick(*options);
    run = [common, options] { return bench_file(*common, *options); };
  });
}

}  // namespace pollux
