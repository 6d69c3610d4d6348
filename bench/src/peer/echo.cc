#include "peer/echo.h"

#include <time.h>

#include <charconv>
#include <string>
#include <vector>

namespace pollux {

namespace {

void stand_still(std::int64_t ns) {
  timespec pause{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  while (nanosleep(&pause, &pause) != 0) {
  }
}

}  // namespace

Facts EchoFaults::facts() const {
  return {{"delay_one_in", std::to_string(delay_one_in)},
          {"delay_ns", std::to_string(delay_ns)},
          {"freeze_at", std::to_string(freeze_at)},
          {"freeze_ns", std::to_string(freeze_ns)},
          {"wrong_at", std::to_string(wrong_at)}};
}

EchoFaults faults_of(const Facts& facts) {
  const auto number = [&facts](std::string_view name) {
    const auto text = fact(facts, name);
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value < 0 ? 0 : value;
  };
  return {.delay_one_in = static_cast<std::uint64_t>(number("delay_one_in")),
          .delay_ns = number("delay_ns"),
          .freeze_at = static_cast<std::uint64_t>(number("freeze_at")),
          .freeze_ns = number("freeze_ns"),
          .wrong_at = static_cast<std::uint64_t>(number("wrong_at"))};
}

std::uint64_t serve_echo(Channel& channel, std::size_t bytes, const EchoFaults& faults) {
  std::vector<std::byte> message(bytes);
  std::uint64_t count = 0;
  while (channel.receive(message)) {
    ++count;
    if (faults.delay_one_in != 0 && count % faults.delay_one_in == 0) stand_still(faults.delay_ns);
    if (count == faults.freeze_at) stand_still(faults.freeze_ns);
    if (count == faults.wrong_at) message.back() ^= std::byte{1};
    if (!channel.send(message)) break;
  }
  return count;
}

}  // namespace pollux
