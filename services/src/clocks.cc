#include "clocks.h"

#include <sys/random.h>

#include <cerrno>
#include <ctime>

#include "file_io.h"
#include "pollux/core/check.h"
#include "text.h"

namespace pollux {

Instant steady_now() {
  timespec time{};
  POLLUX_CHECK(clock_gettime(CLOCK_BOOTTIME, &time) == 0);
  return Instant(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

Now read_clocks() {
  timespec time{};
  POLLUX_CHECK(clock_gettime(CLOCK_REALTIME, &time) == 0);
  return {.steady = steady_now(),
          .wall = {static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_nsec / 1000}};
}

void fill_random(std::uint8_t* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t got = getrandom(bytes, count, 0);
    if (got < 0 && errno == EINTR) continue;
    POLLUX_CHECK_WHY(got > 0, "the kernel gives no random bytes");
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
}

Result<BootId> read_boot_id() {
  constexpr const char* file = "/proc/sys/kernel/random/boot_id";
  auto text = read_small_file(file);
  if (!text) return std::unexpected(text.error());
  while (!text->empty() && text->back() == '\n') text->pop_back();
  BootId id;
  if (!parse_id(*text, &id)) return fail(Code::unsupported, cat(file, " does not hold an id"));
  return id;
}

}  // namespace pollux
