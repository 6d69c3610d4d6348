// Checked reading of single fields, shared by the decoders. The first field that is wrong is remembered by
// its name; the decoder goes on and asks once at the end.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "configuration.pb.h"
#include "pollux/core/configuration.h"
#include "pollux/core/hash.h"
#include "pollux/core/record.h"
#include "pollux/core/result.h"
#include "pollux/core/types.h"
#include "record.pb.h"

namespace pollux {

/// What to do about fields that this version does not know.
enum class Unknown : std::uint8_t {
  refused,      ///< stored things: to pass over a field would be to apply half of it
  passed_over,  ///< messages: a later version may add to them
};

class Fields {
 public:
  explicit Fields(Unknown unknown = Unknown::refused) : unknown_(unknown) {}

  /// Absent: none.
  template <class Tag>
  void id(const std::string& bytes, Id128<Tag>* id, const char* field) {
    if (!bytes.empty()) fixed(bytes, id->bytes.data(), id->bytes.size(), field);
  }
  template <class Tag>
  void required_id(const std::string& bytes, Id128<Tag>* id, const char* field) {
    fixed(bytes, id->bytes.data(), id->bytes.size(), field);
  }
  /// Absent: all zero.
  void hash(const std::string& bytes, Hash* hash, const char* field);
  void position(const wire::Position& from, Position* to, const char* field);
  void member(const wire::MemberId& from, MemberId* to, const char* field);
  void configuration(const wire::Configuration& from, Configuration* to);
  void code(std::uint32_t number, Code* code, const char* field);
  /// Moves a text out of the wire message.
  void text(std::string* from, std::string* to, const char* field);
  void changes(google::protobuf::RepeatedPtrField<wire::Change>* from, std::vector<Change>* to);
  void require(bool condition, const char* field) {
    if (!condition && problem_ == nullptr) problem_ = field;
  }
  /// Refuses the fields of `message` that this version does not know, unless they are passed over.
  void known(const google::protobuf::MessageLite& message);

  [[nodiscard]] bool ok() const { return problem_ == nullptr; }
  /// "malformed record: <field>".
  [[nodiscard]] std::unexpected<Error> failure(std::string_view what) const;

 private:
  void fixed(const std::string& bytes, std::uint8_t* to, std::size_t count, const char* field);

  Unknown unknown_;
  const char* problem_ = nullptr;
};

// The other way. Absent is how none and zero are written.
template <class Tag>
void put_id(const Id128<Tag>& id, std::string* to) {
  if (!id.none()) to->assign(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size());
}
void put_position(const Position& from, wire::Position* to);
void put_member(const MemberId& from, wire::MemberId* to);
void put_configuration(const Configuration& from, wire::Configuration* to);
void put_change(const Change& from, wire::Change* to);

}  // namespace pollux
