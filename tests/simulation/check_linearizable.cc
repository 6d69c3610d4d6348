#include "simulation/check_linearizable.h"

#include <charconv>
#include <map>

#include "simulation/describe.h"
#include "simulation/linearizable.h"
#include "simulation/world.h"

namespace pollux::testing {
namespace {

std::optional<RegisterOperation> translate(const Operation& operation) {
  using Kind = RegisterOperation::Kind;
  const Verb verb = operation.request.verb;
  RegisterOperation result;
  result.invoked = operation.invoked;
  result.returned = operation.known ? operation.returned : 0;
  const bool happened = operation.code == Code::ok || operation.code == Code::precondition_failed;
  if (result.returned != 0 && !happened) return std::nullopt;  // certain that nothing was done
  switch (verb) {
    case Verb::get: result.kind = Kind::read; break;
    case Verb::put:
      result.kind = Kind::swap;
      result.value = operation.request.value;
      break;
    case Verb::erase: result.kind = Kind::swap; break;
    case Verb::cas:
      result.kind = Kind::compare_and_swap;
      result.expected = operation.request.expected;
      result.value = operation.request.value;
      result.succeeded = operation.code == Code::ok;
      break;
    case Verb::abort:
    case Verb::kill:
    case Verb::hang: return std::nullopt;
  }
  std::from_chars(operation.reply.data(), operation.reply.data() + operation.reply.size(), result.saw);
  result.text = describe(operation);
  return result;
}

}  // namespace

void LinearizabilityChecker::on_end(const World& world) {
  std::map<std::uint32_t, std::vector<RegisterOperation>> by_key;
  for (const Operation& operation : world.history()) {
    auto translated = translate(operation);
    if (translated) by_key[operation.request.key].push_back(std::move(*translated));
  }
  for (auto& [key, operations] : by_key) {
    if (const auto why = find_contradiction(std::move(operations))) {
      throw Violation("not linearizable, register " + register_key(key) + ": " + *why);
    }
  }
}

}  // namespace pollux::testing
