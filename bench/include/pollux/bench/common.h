// What every `pollux bench` measurement is told besides its own parameters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pollux/bench/exit.h"

namespace pollux {

enum class BenchForm { table, json, csv, markdown };

struct BenchCommon {
  std::string command;                    ///< path of `pollux`: what starts pairs and the far ends of connections
  std::vector<std::string> arguments;     ///< of this call, after `bench`: with these `bench rerun` does it again
  std::filesystem::path directory = ".";  ///< everything is in a temporary directory made here
  unsigned runs = 5;                      ///< times that each cell is measured; a comparison stands on them
  bool quick = false;                     ///< fewer and smaller cells: to see that it works, not to decide on
  BenchForm form = BenchForm::table;      ///< what goes to standard output
  std::filesystem::path output;           ///< the result is also written here as JSON; empty: nowhere
  std::vector<std::string> thresholds;    ///< such as "ipc.p99<200us"
  bool redact = false;                    ///< names and serial numbers of this host stay out of the result
  std::string declared;                   ///< the operator's word: "metal", "vm", "container"; empty: none
  std::uint64_t price_micro = 0;          ///< of an hour of this host, in millionths of a unit of money; 0: not told
};

}  // namespace pollux
