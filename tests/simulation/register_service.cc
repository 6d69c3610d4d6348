#include "simulation/register_service.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "pollux/core/check.h"

namespace pollux::testing {
namespace {

constexpr std::array<std::string_view, 7> verbs{"get", "put", "cas", "erase", "abort", "kill", "hang"};

std::string_view take_word(std::string_view* text) {
  const auto end = std::min(text->find(' '), text->size());
  const auto word = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return word;
}

bool take_number(std::string_view* text, std::uint64_t* number) {
  const auto word = take_word(text);
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), *number);
  return error == std::errc{} && rest == word.data() + word.size();
}

std::uint64_t held(const std::optional<std::string>& row) {
  std::uint64_t number = 0;
  if (row) std::from_chars(row->data(), row->data() + row->size(), number);
  return number;
}

}  // namespace

std::string_view to_string(Verb verb) { return verbs[static_cast<std::size_t>(verb)]; }

std::string register_key(std::uint32_t key) { return "k" + std::to_string(key); }

std::string RegisterRequest::payload() const {
  std::string text(to_string(verb));
  text += " " + register_key(key);
  if (verb == Verb::cas) text += " " + std::to_string(expected);
  text += " " + std::to_string(value);
  if (padding != 0) text += " " + std::string(padding, '.');
  return text;
}

std::optional<RegisterRequest> RegisterRequest::parse(std::string_view payload) {
  RegisterRequest request;
  const auto verb = take_word(&payload);
  const auto found = std::ranges::find(verbs, verb);
  if (found == verbs.end()) return std::nullopt;
  request.verb = static_cast<Verb>(found - verbs.begin());
  if (!payload.starts_with('k')) return std::nullopt;
  payload.remove_prefix(1);
  std::uint64_t key = 0;
  if (!take_number(&payload, &key)) return std::nullopt;
  request.key = static_cast<std::uint32_t>(key);
  if (request.verb == Verb::cas && !take_number(&payload, &request.expected)) return std::nullopt;
  if (!take_number(&payload, &request.value)) return std::nullopt;
  request.padding = payload.size();
  return request;
}

RegisterResult execute_register(const RegisterRequest& request, const RowReader& row) {
  POLLUX_CHECK(request.verb != Verb::kill && request.verb != Verb::hang);
  const std::string key = register_key(request.key);
  const std::uint64_t before = held(row(key));
  RegisterResult result;
  result.reply = std::to_string(before);
  switch (request.verb) {
    case Verb::get: break;
    case Verb::cas:
      if (before != request.expected) {
        result.code = Code::precondition_failed;
        break;
      }
      [[fallthrough]];
    case Verb::put: {
      std::string value = std::to_string(request.value);
      if (request.padding != 0) value += " " + std::string(request.padding, '.');
      result.changes.push_back({key, std::move(value)});
      break;
    }
    case Verb::erase: result.changes.push_back({key, std::nullopt}); break;
    case Verb::abort: result.code = Code::aborted; break;
    case Verb::kill:
    case Verb::hang: break;
  }
  return result;
}

}  // namespace pollux::testing
