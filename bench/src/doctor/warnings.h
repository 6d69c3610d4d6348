// Settings of the host, of its disk and of a configuration that will hurt: what is wrong, why it matters,
// what to do.
#pragma once

#include <string>
#include <vector>

#include "doctor/advice.h"
#include "doctor/observed.h"

namespace pollux {

struct DoctorWarning {
  std::string what, why, todo;  ///< one sentence each, without a full stop
};
using DoctorWarnings = std::vector<DoctorWarning>;

void warn_of_clock(const Observed& seen, DoctorWarnings& warnings);
void warn_of_cpu(const Observed& seen, DoctorWarnings& warnings);
/// `config` may be null: then the default configuration's needs count.
void warn_of_memory(const Observed& seen, const Config* config, DoctorWarnings& warnings);
void warn_of_disk(const Observed& seen, DoctorWarnings& warnings);
void warn_of_config(const Observed& seen, const Advice& advice, const Config& config,
                    DoctorWarnings& warnings);

/// All of these.
DoctorWarnings find_warnings(const Observed& seen, const Advice& advice, const Config* config);

}  // namespace pollux
