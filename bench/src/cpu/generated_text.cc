#include "cpu/generated_text.h"

#include <cstdint>
#include <vector>

namespace pollux {

namespace {

// xorshift64*: whole numbers only, so it is the same everywhere.
class Numbers {
 public:
  std::uint32_t below(std::uint32_t limit) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint32_t>((state_ * 0x2545f4914f6cdd1d) >> 33) % limit;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

std::vector<std::string> make_words(Numbers& numbers, std::size_t count) {
  constexpr std::string_view vowels = "aeiou", consonants = "bcdfghjklmnpqrstvwz";
  std::vector<std::string> words;
  while (words.size() < count) {
    std::string word;
    for (auto syllables = 1 + numbers.below(4); syllables > 0; --syllables) {
      word += consonants[numbers.below(consonants.size())];
      word += vowels[numbers.below(vowels.size())];
      if (numbers.below(3) == 0) word += consonants[numbers.below(consonants.size())];
    }
    words.push_back(word);
  }
  return words;
}

}  // namespace

std::string generated_text(std::size_t bytes) {
  constexpr std::uint32_t word_count = 4096, words_a_line = 12, number_one_in = 17;
  Numbers numbers;
  const auto words = make_words(numbers, word_count);
  std::string text;
  text.reserve(bytes + 32);
  for (std::uint32_t n = 1; text.size() < bytes; ++n) {
    // A limit that is drawn itself makes the first words frequent and the last ones rare.
    text += numbers.below(number_one_in) == 0 ? std::to_string(numbers.below(1'000'000))
                                              : words[numbers.below(1 + numbers.below(word_count))];
    text += n % words_a_line == 0 ? '\n' : ' ';
  }
  text.resize(bytes);
  return text;
}

}  // namespace pollux
