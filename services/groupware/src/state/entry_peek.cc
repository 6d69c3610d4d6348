#include "state/entry_peek.h"

#include <stdexcept>

namespace pollux {
namespace {

// Field numbers of EntryRow in groupware.proto.
enum Field : std::uint64_t { name = 1, collection = 3, component = 6, first_s = 12, last_s = 13 };
// Wire types of Protocol Buffers.
enum Wire : std::uint64_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

[[noreturn]] void damaged() {
  throw std::runtime_error("A row of the groupware service can't be decoded: verify the audit trail.");
}

class Reader {
 public:
  explicit Reader(std::string_view row) : rest_(row) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) damaged();
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    damaged();
  }
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) damaged();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace

EntryPeek peek_entry(std::string_view row) {
  EntryPeek peek;
  Reader reader(row);
  while (!reader.done()) {
    const std::uint64_t tag = reader.number();
    const std::uint64_t field = tag >> 3;
    switch (tag & 7) {
      case Wire::varint: {
        const std::uint64_t value = reader.number();
        if (field == Field::collection) peek.collection = value != 0;
        if (field == Field::first_s) peek.first_s = static_cast<std::int64_t>(value);
        if (field == Field::last_s) peek.last_s = static_cast<std::int64_t>(value);
        break;
      }
      case Wire::bytes: {
        const std::string_view value = reader.take(reader.number());
        if (field == Field::name) peek.name = value;
        if (field == Field::component) peek.component = value;
        break;
      }
      case Wire::fixed64:
        reader.take(8);
        break;
      case Wire::fixed32:
        reader.take(4);
        break;
      default:
        damaged();
    }
  }
  return peek;
}

}  // namespace pollux
