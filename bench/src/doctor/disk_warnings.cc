#include "disk/disk_plan.h"
#include "doctor/warnings.h"
#include "host/facts.h"
#include "run/format.h"

namespace pollux {

namespace {
// A cache that is volatile must be emptied to the medium: faster than this is only memory.
constexpr std::int64_t flush_of_cache_ns_min = 20'000;
}  // namespace

void warn_of_disk(const Observed& seen, DoctorWarnings& warnings) {
  const auto median = seen.flushes.median_ns();
  if (seen.volatile_memory) {
    warnings.push_back({seen.directory + " is on " + seen.file_system + ", which is memory",
                        "everything there is gone with the power, on both members of the pair at once",
                        "put the data directory on a disk"});
    return;
  }
  const auto verdict = judge_flush({.file_system = seen.file_system,
                                    .volatile_memory = seen.volatile_memory,
                                    .device = seen.disk_device,
                                    .write_cache = fact_value(seen.facts, "disk.write_cache"),
                                    .flushes_asked = seen.flushes_asked,
                                    .flushes_counted = seen.flushes_counted,
                                    .p50_ns = median});
  if (verdict.invalid || verdict.doubtful) {
    warnings.push_back(
        {verdict.text, "what was acknowledged as durable may be lost with the power",
         "use another disk or file system, or find the setting that leaves flushes out (such as the "
         "hypervisor's cache=unsafe, or the mount option nobarrier)"});
  } else if (fact_value(seen.facts, "disk.write_cache") == "write back" && median < flush_of_cache_ns_min) {
    warnings.push_back({"a flush to " + seen.disk_device + " takes " + time_text(median) +
                            ", too little for one that empties a volatile write cache",
                        "what was acknowledged as durable may be lost with the power",
                        "see what the hypervisor or the disk's controller does with flushes"});
  }
}

}  // namespace pollux
