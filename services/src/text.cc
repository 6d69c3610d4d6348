#include "text.h"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <system_error>

namespace pollux {

std::string errno_text(std::string_view what, int number) {
  return cat(what, ": ", std::generic_category().message(number));
}

Code code_of_errno(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT: return Code::disk_full;
    case EACCES:
    case EPERM:
    case EROFS: return Code::forbidden;
    case EADDRINUSE:
    case EBUSY: return Code::in_use;
    case ENOENT: return Code::not_found;
    default: return Code::io_error;
  }
}

std::unexpected<Error> fail_errno(std::string_view what, int number) {
  return fail(code_of_errno(number), errno_text(what, number));
}

std::string iso_time(WallTime time) {
  constexpr std::int64_t us_per_s = 1'000'000;
  std::int64_t seconds = time.us / us_per_s;
  std::int64_t rest = time.us % us_per_s;
  if (rest < 0) {
    rest += us_per_s;
    --seconds;
  }
  const std::time_t since_epoch = seconds;
  std::tm utc{};
  if (gmtime_r(&since_epoch, &utc) == nullptr) return "unknown time";
  char text[80];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%06lldZ", utc.tm_year + 1900, utc.tm_mon + 1,
                utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, static_cast<long long>(rest));
  return text;
}

}  // namespace pollux
