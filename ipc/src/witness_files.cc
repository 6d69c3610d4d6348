#include "witness_files.h"

#include <charconv>

#include "pollux/core/hash.h"

namespace pollux {
namespace {

std::string with_sum(std::string text) {
  const Hash sum = chain_hash({}, text);
  return text + "sum " + to_string(sum) + "\n";
}

std::string text_of(const MemberId& member) {
  return to_string(member.incarnation) + " " + to_string(member.run);
}
std::string text_of(const Position& position) {
  return std::to_string(position.lsn.value) + " " + to_string(position.hash);
}

/// Takes a text apart, word by word. Leniently: the caller writes the result again and compares all bytes.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  std::string_view next() {
    const std::size_t end = rest_.find_first_of(" \n");
    if (end == std::string_view::npos) return {};
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return word;
  }
  void skip() { static_cast<void>(next()); }
  std::uint64_t number() {
    const std::string_view word = next();
    std::uint64_t value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
  }
  template <class Tag>
  Id128<Tag> id() {
    Id128<Tag> id;
    if (!parse_id(next(), &id)) id = {};
    return id;
  }
  MemberId member() {
    MemberId member;
    member.incarnation = id<IncarnationTag>();
    member.run = id<RunTag>();
    return member;
  }
  Position position() {
    Position position;
    position.lsn.value = number();
    if (!parse_hex(next(), position.hash.bytes.data(), position.hash.bytes.size())) position.hash = {};
    return position;
  }
  [[nodiscard]] std::string_view peek() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace

std::string witness_id_text(const WitnessId& id) {
  return with_sum("pollux-witness 1\nid " + to_string(id) + "\n");
}

std::string epoch_text(const EpochFile& file) {
  const Configuration& configuration = file.configuration;
  return with_sum("pollux-epoch 1\ncluster " + to_string(configuration.cluster) + "\ngeneration " +
                  std::to_string(configuration.generation.value) + "\nepoch " +
                  std::to_string(configuration.epoch.value) + "\nprimary " + text_of(configuration.primary) +
                  "\n" + (configuration.backup ? "backup " + text_of(*configuration.backup) + "\n" : "") +
                  "floor " + text_of(configuration.floor) + "\n" +
                  (file.adopted_over ? "adopted-over " + std::to_string(file.adopted_over->value) + "\n" : ""));
}

std::string floor_text(const FloorFile& floor) {
  return with_sum("pollux-floor 1\nepoch " + std::to_string(floor.epoch.value) + "\nnumber " +
                  std::to_string(floor.number) + "\nfloor " + text_of(floor.floor) + "\n");
}

std::optional<WitnessId> parse_witness_id(std::string_view text) {
  Words words(text);
  for (int i = 0; i < 3; ++i) words.skip();
  const auto id = words.id<WitnessTag>();
  if (id.none() || witness_id_text(id) != text) return std::nullopt;
  return id;
}

std::optional<EpochFile> parse_epoch(std::string_view text) {
  Words words(text);
  EpochFile file;
  Configuration& configuration = file.configuration;
  for (int i = 0; i < 3; ++i) words.skip();
  configuration.cluster = words.id<ClusterTag>();
  words.skip();
  configuration.generation.value = words.number();
  words.skip();
  configuration.epoch.value = words.number();
  words.skip();
  configuration.primary = words.member();
  if (words.peek().starts_with("backup ")) {
    words.skip();
    configuration.backup = words.member();
  }
  words.skip();
  configuration.floor = words.position();
  if (words.peek().starts_with("adopted-over ")) {
    words.skip();
    file.adopted_over = Epoch{words.number()};
  }
  if (epoch_text(file) != text) return std::nullopt;
  return file;
}

std::optional<FloorFile> parse_floor(std::string_view text) {
  Words words(text);
  FloorFile floor;
  for (int i = 0; i < 3; ++i) words.skip();
  floor.epoch.value = words.number();
  words.skip();
  floor.number = words.number();
  words.skip();
  floor.floor = words.position();
  if (floor_text(floor) != text) return std::nullopt;
  return floor;
}

std::string witness_file_name(std::string_view kind, Epoch epoch) {
  const std::string digits = std::to_string(epoch.value);
  return std::string(kind) + "." + std::string(20 - digits.size(), '0') + digits;
}

}  // namespace pollux
