#include "service_list.h"

#include "pollux/echo/echo.h"
#include "pollux/groupware/service.h"
#include "pollux/ledger/ledger.h"

namespace pollux {

namespace {

struct Known {
  std::string_view name;
  std::unique_ptr<Service> (*make)();
};
constexpr Known services[] = {
    {"echo", echo::make_service}, {"groupware", make_groupware_service}, {"ledger", ledger::make_service}};

}  // namespace

std::vector<std::string> service_names() {
  std::vector<std::string> out;
  for (const Known& service : services) out.emplace_back(service.name);
  return out;
}

ServiceFactory service_named(std::string_view name) {
  for (const Known& service : services) {
    if (service.name == name) return service.make;
  }
  return {};
}

Code code_named(std::string_view word) {
  for (std::uint16_t number = 0; number < 128; ++number) {
    if (to_string(static_cast<Code>(number)) == word) return static_cast<Code>(number);
  }
  return Code::io_error;
}

}  // namespace pollux
