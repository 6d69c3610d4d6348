#include "state/sync_token.h"

#include <charconv>

namespace pollux {
namespace {

constexpr std::string_view prefix = "urn:pollux:sync:";

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

std::string make_sync_token(std::uint64_t collection, std::uint64_t change) {
  return std::string(prefix) + std::to_string(collection) + "-" + std::to_string(change);
}

std::string make_sync_token(const SyncPoint& point) {
  std::string token = make_sync_token(point.collection, point.change);
  if (point.deletions > point.change) token += "-" + std::to_string(point.deletions);
  return token;
}

std::optional<SyncPoint> parse_sync_token(std::string_view token) {
  if (!token.starts_with(prefix)) return std::nullopt;
  token.remove_prefix(prefix.size());
  const std::size_t dash = token.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto collection = number(token.substr(0, dash));
  token.remove_prefix(dash + 1);
  const std::size_t second = std::min(token.find('-'), token.size());
  const auto change = number(token.substr(0, second));
  const auto deletions = second == token.size() ? change : number(token.substr(second + 1));
  if (!collection || *collection == 0 || !change || !deletions) return std::nullopt;
  return SyncPoint{*collection, *change, *deletions};
}

}  // namespace pollux
