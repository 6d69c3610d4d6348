#include "pollux/bench/doctor.h"

#include <boost/json/serialize.hpp>
#include <cstdio>
#include <iostream>

#include "doctor/doctor_report.h"
#include "run/interrupt.h"

namespace pollux {

int doctor(const DoctorOptions& options) {
  const InterruptGuard interrupt;
  auto seen = observe(options);
  if (!seen) {
    std::fprintf(stderr, "doctor: %s\n", seen.error().text.c_str());
    return DoctorExit::failed;
  }
  DoctorReport report{
      .seen = std::move(*seen), .advice = {}, .warnings = {}, .config_name = options.config_name};
  report.advice = advise(report.seen);
  report.warnings = find_warnings(report.seen, report.advice, options.config ? &*options.config : nullptr);
  if (options.json) {
    std::cout << boost::json::serialize(json_of(report)) << "\n";
  } else {
    print_report(report, std::cout);
  }
  std::cout.flush();
  if (!std::cout) return DoctorExit::failed;
  return report.warnings.empty() ? DoctorExit::ok : DoctorExit::warnings;
}

}  // namespace pollux
