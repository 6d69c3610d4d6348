// A binary range coder: each bit costs what it was unlikely. Every kind of bit has a probability of its own
// that follows what came.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pollux {

/// That the next bit is 0, in parts of 4096.
class BitChance {
 public:
  static constexpr unsigned one = 4096;
  [[nodiscard]] std::uint32_t of_zero() const { return value_; }
  void saw(bool bit) {
    constexpr unsigned inertia = 5;
    if (bit) {
      value_ = static_cast<std::uint16_t>(value_ - (value_ >> inertia));
    } else {
      value_ = static_cast<std::uint16_t>(value_ + ((one - value_) >> inertia));
    }
  }

 private:
  std::uint16_t value_ = one / 2;
};

class BitEncoder {
 public:
  explicit BitEncoder(std::string& out) : out_(out) {}
  void put(BitChance& chance, bool bit) {
    // Of the range the zeros get their part from below; never all and never nothing.
    const std::uint32_t middle = low_ + (high_ - low_) / BitChance::one * chance.of_zero();
    (bit ? low_ : high_) = bit ? middle + 1 : middle;
    chance.saw(bit);
    while (((low_ ^ high_) & top) == 0) {
      out_ += static_cast<char>(high_ >> 24);
      low_ <<= 8;
      high_ = high_ << 8 | 0xff;
    }
  }
  void finish() {
    for (int i = 0; i < 4; ++i, low_ <<= 8) out_ += static_cast<char>(low_ >> 24);
  }

 private:
  static constexpr std::uint32_t top = 0xff000000;
  std::string& out_;
  std::uint32_t low_ = 0, high_ = 0xffffffff;
};

class BitDecoder {
 public:
  explicit BitDecoder(std::string_view in) : in_(in) {
    for (int i = 0; i < 4; ++i) code_ = code_ << 8 | next();
  }
  bool get(BitChance& chance) {
    const std::uint32_t middle = low_ + (high_ - low_) / BitChance::one * chance.of_zero();
    const bool bit = code_ > middle;
    (bit ? low_ : high_) = bit ? middle + 1 : middle;
    chance.saw(bit);
    while (((low_ ^ high_) & top) == 0) {
      low_ <<= 8;
      high_ = high_ << 8 | 0xff;
      code_ = code_ << 8 | next();
    }
    return bit;
  }
  /// More was asked for than there is: what was got since means nothing.
  [[nodiscard]] bool exhausted() const { return missing_ > 4; }

 private:
  static constexpr std::uint32_t top = 0xff000000;
  std::uint32_t next() {
    if (at_ < in_.size()) return static_cast<unsigned char>(in_[at_++]);
    ++missing_;
    return 0;
  }
  std::string_view in_;
  std::size_t at_ = 0, missing_ = 0;
  std::uint32_t low_ = 0, high_ = 0xffffffff, code_ = 0;
};

/// Numbers of a fixed count of bits, the highest first, each bit with the chance that belongs to those before
/// it.
template <unsigned bits>
class NumberChances {
 public:
  void put(BitEncoder& encoder, std::uint32_t number) {
    std::uint32_t node = 1;
    for (unsigned i = bits; i-- > 0;) {
      const bool bit = (number >> i & 1) != 0;
      encoder.put(chances_[node], bit);
      node = node << 1 | static_cast<std::uint32_t>(bit);
    }
  }
  std::uint32_t get(BitDecoder& decoder) {
    std::uint32_t node = 1;
    for (unsigned i = 0; i < bits; ++i)
      node = node << 1 | static_cast<std::uint32_t>(decoder.get(chances_[node]));
    return node - (1u << bits);
  }

 private:
  std::array<BitChance, 1u << bits> chances_;
};

}  // namespace pollux
