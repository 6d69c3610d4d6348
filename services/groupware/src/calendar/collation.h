// Comparing texts as queries ask for it (RFC 4790; RFC 5051).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pollux {

enum class Collation : std::uint8_t { ascii_casemap, octet, unicode_casemap };

/// None: it is not supported (RFC 4791, 7.5.1: the answer is a supported-collation error). "default" is
/// `preset`.
std::optional<Collation> find_collation(std::string_view name, Collation preset);

enum class MatchType : std::uint8_t { contains, equals, starts_with, ends_with };

/// A text-match (RFC 4791, 9.7.5; RFC 6352, 10.5.4), with its text folded once.
class TextMatch {
 public:
  TextMatch(std::string_view text, Collation collation, MatchType type, bool negate);
  /// Whether one value fits, negation left aside.
  [[nodiscard]] bool fits(std::string_view value) const;
  [[nodiscard]] bool negates() const { return negate_; }

 private:
  Collation collation_;
  MatchType type_;
  bool negate_;
  std::string needle_;
};

/// Text in which what the collation holds equal is equal, octet by octet. unicode_casemap folds letters of
/// every script, but does not take composed characters apart: "e" with a combining accent is not its composed
/// sister.
std::string fold_text(std::string_view text, Collation collation);

}  // namespace pollux
