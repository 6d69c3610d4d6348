// What the doctor says, on a terminal and as JSON.
#pragma once

#include <boost/json/object.hpp>
#include <iosfwd>

#include "doctor/warnings.h"

namespace pollux {

struct DoctorReport {
  Observed seen;
  Advice advice;
  DoctorWarnings warnings;
  std::string config_name;  ///< empty: none was looked at
};
void print_report(const DoctorReport& report, std::ostream& out);
boost::json::object json_of(const DoctorReport& report);

}  // namespace pollux
