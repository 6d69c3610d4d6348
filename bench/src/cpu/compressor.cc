#include "cpu/compressor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "cpu/bit_coder.h"
#include "pollux/core/check.h"

namespace pollux {

namespace {

constexpr std::size_t text_max = (1u << 24) - 1;
constexpr std::size_t match_min = 4, match_max = match_min + 255;
constexpr unsigned hash_bits = 16;
constexpr int chain_max = 24;  // places that are looked at for the longest repetition
constexpr std::uint32_t nowhere = 0xffffffff;

// What both sides learn while they go along, in the same order.
struct Model {
  std::array<BitChance, 2> is_match;              // by whether the last one was a match
  std::array<NumberChances<8>, 256> literal;      // by the byte before
  NumberChances<8> length;                        // above match_min
  NumberChances<5> distance_bits;                 // how many bits a distance has
  std::array<NumberChances<4>, 32> distance_top;  // its highest four after the first
};

// The lower bits of a distance are as good as random: half and half, and not learnt.
void put_low_bits(BitEncoder& encoder, std::uint32_t value, unsigned bits) {
  for (unsigned i = bits; i-- > 0;) {
    BitChance even;
    encoder.put(even, (value >> i & 1) != 0);
  }
}
std::uint32_t get_low_bits(BitDecoder& decoder, unsigned bits) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bits; ++i) {
    BitChance even;
    value = value << 1 | static_cast<std::uint32_t>(decoder.get(even));
  }
  return value;
}

constexpr unsigned top_bits = 4;

void put_distance(Model& model, BitEncoder& encoder, std::uint32_t distance) {
  const auto bits = static_cast<unsigned>(std::bit_width(distance)) - 1;  // below the first one
  model.distance_bits.put(encoder, bits);
  const auto below = distance - (1u << bits);
  if (bits <= top_bits) return put_low_bits(encoder, below, bits);
  model.distance_top[bits].put(encoder, below >> (bits - top_bits));
  put_low_bits(encoder, below & ((1u << (bits - top_bits)) - 1), bits - top_bits);
}
std::uint32_t get_distance(Model& model, BitDecoder& decoder) {
  const auto bits = model.distance_bits.get(decoder);
  if (bits <= top_bits) return (1u << bits) + get_low_bits(decoder, bits);
  const auto top = model.distance_top[bits].get(decoder);
  return (1u << bits) + (top << (bits - top_bits)) + get_low_bits(decoder, bits - top_bits);
}

// Where the same four bytes were before, the last place first.
class Places {
 public:
  explicit Places(std::string_view text)
      : text_(text), last_(1u << hash_bits, nowhere), before_(text.size(), nowhere) {}

  struct Match {
    std::size_t length = 0, distance = 0;
  };
  [[nodiscard]] Match longest_at(std::size_t at) const {
    Match best;
    if (at + match_min > text_.size()) return best;
    const auto limit = std::min(match_max, text_.size() - at);
    auto place = last_[hash(at)];
    for (int looked = 0; place != nowhere && looked < chain_max; ++looked, place = before_[place]) {
      std::size_t length = 0;
      while (length < limit && text_[place + length] == text_[at + length]) ++length;
      if (length > best.length) best = {length, at - place};
    }
    return best.length >= match_min ? best : Match{};
  }
  void add(std::size_t at) {
    if (at + match_min > text_.size()) return;
    auto& last = last_[hash(at)];
    before_[at] = last;
    last = static_cast<std::uint32_t>(at);
  }

 private:
  [[nodiscard]] std::uint32_t hash(std::size_t at) const {
    std::uint32_t four = 0;
    for (std::size_t i = 0; i < 4; ++i)
      four |= static_cast<std::uint32_t>(static_cast<unsigned char>(text_[at + i])) << 8 * i;
    return four * 2654435761u >> (32 - hash_bits);
  }
  std::string_view text_;
  std::vector<std::uint32_t> last_, before_;
};

}  // namespace

std::string compress(std::string_view text) {
  POLLUX_CHECK(text.size() <= text_max);
  std::string packed;
  BitEncoder encoder(packed);
  put_low_bits(encoder, static_cast<std::uint32_t>(text.size()), 24);
  const auto model = std::make_unique<Model>();
  Places places(text);
  unsigned char before = 0;
  bool matched = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto match = places.longest_at(at);
    encoder.put(model->is_match[matched ? 1 : 0], match.length > 0);
    matched = match.length > 0;
    if (matched) {
      model->length.put(encoder, static_cast<std::uint32_t>(match.length - match_min));
      put_distance(*model, encoder, static_cast<std::uint32_t>(match.distance));
    } else {
      model->literal[before].put(encoder, static_cast<unsigned char>(text[at]));
    }
    for (const auto end = at + std::max<std::size_t>(1, match.length); at < end; ++at) places.add(at);
    before = static_cast<unsigned char>(text[at - 1]);
  }
  encoder.finish();
  return packed;
}

std::optional<std::string> decompress(std::string_view packed) {
  BitDecoder decoder(packed);
  const std::size_t bytes = get_low_bits(decoder, 24);
  if (decoder.exhausted()) return std::nullopt;
  const auto model = std::make_unique<Model>();
  std::string text;
  unsigned char before = 0;
  bool matched = false;
  while (text.size() < bytes) {
    matched = decoder.get(model->is_match[matched ? 1 : 0]);
    if (matched) {
      const auto length = model->length.get(decoder) + match_min;
      const std::size_t distance = get_distance(*model, decoder);
      if (distance > text.size() || length > bytes - text.size()) return std::nullopt;
      // Byte by byte: a match may reach into what it makes itself.
      for (std::size_t i = 0; i < length; ++i) text += text[text.size() - distance];
    } else {
      text += static_cast<char>(model->literal[before].get(decoder));
    }
    if (decoder.exhausted()) return std::nullopt;
    before = static_cast<unsigned char>(text.back());
  }
  return text;
}

}  // namespace pollux
