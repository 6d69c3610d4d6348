#include <fstream>

#include "disk/disk_plan.h"
#include "run/format.h"

namespace pollux {

namespace {
// No device that keeps its word is faster: an NVMe disk with power-loss protection takes some 10 us.
constexpr std::int64_t plausible_ns = 5'000;
}  // namespace

std::string write_cache_of(const std::string& device) {
  std::ifstream in("/sys/block/" + device + "/queue/write_cache");
  std::string line;
  std::getline(in, line);
  return line;
}

FlushVerdict judge_flush(const FlushEvidence& evidence) {
  if (evidence.volatile_memory) {
    return {.invalid = true,
            .text = "it is on " + evidence.file_system +
                    ", where a flush makes nothing durable; name a directory on a disk with --directory"};
  }
  if (evidence.p50_ns < plausible_ns) {
    return {.invalid = true,
            .text = "a flush took " + time_text(evidence.p50_ns) +
                    ", which no disk does: what is written stays in memory"};
  }
  if (evidence.device.empty() || !evidence.flushes_counted) {
    return {.doubtful = true,
            .text = "the disk behind " + evidence.file_system +
                    " can't be seen from here, so that nobody can tell whether a flush reaches it"};
  }
  const auto counts = count_text(*evidence.flushes_counted) + " flushes for " +
                      count_text(evidence.flushes_asked) + " that were asked for";
  if (evidence.write_cache == "write through") {
    return {.text = evidence.device + " says that it has no volatile write cache; it counted " + counts};
  }
  if (*evidence.flushes_counted == 0) {
    return {.invalid = true,
            .text = evidence.device + " has a volatile write cache and counted no flush for " +
                    count_text(evidence.flushes_asked) +
                    " that were asked for: what is written can be lost with the power"};
  }
  // A journal may share a flush among those that wait at the same time, but here they came one after the
  // other.
  if (*evidence.flushes_counted * 2 < evidence.flushes_asked) {
    return {.doubtful = true, .text = evidence.device + " counted only " + counts};
  }
  return {.text = evidence.device + " counted " + counts};
}

}  // namespace pollux
