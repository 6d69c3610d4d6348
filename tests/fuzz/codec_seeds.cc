// Writes the seeds of every codec target: codec_seeds DIRECTORY, one folder a target.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "codec_targets.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: codec_seeds DIRECTORY\n");
    return 2;
  }
  for (const auto& target : pollux::testing::codec_targets()) {
    const auto folder = std::filesystem::path(argv[1]) / target.name;
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const std::string& seed : target.seeds) {
      std::ofstream(folder / std::to_string(number++), std::ios::binary) << seed;
    }
  }
  return 0;
}
