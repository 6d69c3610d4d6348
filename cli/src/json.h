// JSON that members and nodes answer with, read by dotted paths. Keeps Boost.JSON in one file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/core/result.h"

namespace pollux {

class Json {
 public:
  Json() = default;  ///< null
  static Result<Json> parse(std::string_view text);

  // What stands at a path such as "primary.run". Missing, or of another type: empty, 0, false.
  [[nodiscard]] bool has(std::string_view path) const;  ///< there and not null
  [[nodiscard]] std::string text(std::string_view path) const;
  [[nodiscard]] std::uint64_t number(std::string_view path) const;
  [[nodiscard]] double real(std::string_view path) const;
  [[nodiscard]] bool flag(std::string_view path) const;
  [[nodiscard]] std::vector<Json> list(std::string_view path) const;
  [[nodiscard]] std::string self_text() const;  ///< of this value itself
  [[nodiscard]] std::string serialized() const;

 private:
  struct Value;
  std::shared_ptr<const Value> value_;
};

/// As a JSON string, with its quotes.
std::string json_quoted(std::string_view text);

}  // namespace pollux
